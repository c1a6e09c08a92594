package worker

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

var (
	// errOverdue is why the context of an evaluation ended that took too long.
	errOverdue = errors.New("the evaluation took too long")
	// errAbandoned says no more because it is published.
	errAbandoned = errors.New("the evaluation took too long and could not be cancelled; it was abandoned")
)

// supervise runs an evaluation, cancels it when it takes too long, when the service was forgotten or when ctx ends, and
// abandons it when it does not heed that: a worker must not be lost to one service. As many may be abandoned as there are
// workers; after that a worker waits, since each that was abandoned still holds what it holds.
func (p *Pool) supervise(ctx context.Context, lease queue.Lease) error {
	evaluation, cancel := context.WithTimeoutCause(ctx, p.config.Timeout, errOverdue)
	defer cancel()

	lease.OnRevoke(cancel)

	evaluation, stage := withStage(evaluation)

	done := make(chan error, 1)

	go func() { done <- p.evaluate(evaluation, lease) }()

	select {
	case err := <-done:
		return err
	case <-evaluation.Done():
	}

	overdue := errors.Is(context.Cause(evaluation), errOverdue)

	err, heeded := p.await(ctx, done)
	if overdue && err != nil {
		p.observer.Overdue(heeded)
	}

	if !heeded {
		p.logger.ErrorContext(ctx, "evaluation was abandoned because it cannot be cancelled", "service", lease.Service())

		return stage.blame(err)
	}

	return err
}

// await waits for a cancelled evaluation to end, and reports whether it did. One that does not is left to itself, at once
// when ctx has ended and the server stops.
func (p *Pool) await(ctx context.Context, done <-chan error) (err error, heeded bool) {
	grace := time.NewTimer(p.config.CancelGrace)
	defer grace.Stop()

	select {
	case err = <-done:
		return err, true
	case <-grace.C:
	}

	select {
	case err = <-done:
		return err, true
	case <-ctx.Done():
		return errAbandoned, false
	case p.abandoned <- struct{}{}:
	}

	go func() {
		<-done //nolint:errcheck // nobody asks any more
		<-p.abandoned
	}()

	return errAbandoned, false
}
