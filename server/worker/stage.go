package worker

import (
	"context"
	"sync/atomic"
)

// stage is how far an evaluation has come: the dependency that it waits for, nil when it waits for none. Others may look
// at it while the evaluation goes on.
type stage struct{ dependency atomic.Pointer[string] }

type stageKey struct{}

// withStage returns a context whose stage waitFor sets.
func withStage(ctx context.Context) (context.Context, *stage) {
	s := &stage{}

	return context.WithValue(ctx, stageKey{}, s), s
}

// waitFor notes that the evaluation waits for a dependency until the returned function is called.
func waitFor(ctx context.Context, dependency string) (over func()) {
	s, tracked := ctx.Value(stageKey{}).(*stage)
	if !tracked {
		return func() {}
	}

	s.dependency.Store(&dependency)

	return func() { s.dependency.Store(nil) }
}

// blame says whose failure it is that the evaluation had to be abandoned: that of the dependency that it waited for.
func (s *stage) blame(err error) error {
	if dependency := s.dependency.Load(); dependency != nil {
		return unavailableError{*dependency, err}
	}

	return err
}
