package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

var endTests = map[string]func(*testing.T, store.Store){
	"a watch ends with its context":                     testContextEndsWatch,
	"a watch ends with its context though changes come": testContextEndsBusyWatch,
	"closing ends watches":                              testCloseEndsWatch,
	"a closed store does nothing":                       testClosed,
	"history that is lost is reported":                  testCompacted,
}

// lastError runs a watch to its end and returns the error that it ended with.
func lastError(st store.Store, ctx context.Context, after int64) error {
	var last error

	for _, err := range st.Watch(ctx, after) {
		if last != nil {
			return fmt.Errorf("the watch went on after %w", last)
		}

		last = err
	}

	return last
}

func testContextEndsWatch(t *testing.T, st store.Store) {
	t.Helper()

	put(t, st, "prod/a", 1)

	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)

	go func() { ended <- lastError(st, ctx, 0) }()

	cancel(cause)

	err := <-ended
	require.Error(t, err)
	require.True(t, errors.Is(err, cause) || errors.Is(err, context.Canceled), err)
}

func testContextEndsBusyWatch(t *testing.T, st store.Store) {
	t.Helper()

	put(t, st, "prod/a", 0)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	const enough = 10_000

	seen := 0

	for _, err := range st.Watch(ctx, 0) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)

			return
		}

		// Every event brings the next, so that there is always one.
		cancel()
		put(t, st, "prod/a", int64(seen))

		seen++
		require.Less(t, seen, enough)
	}

	require.Fail(t, "the watch ended without an error")
}

func testCloseEndsWatch(t *testing.T, st store.Store) {
	t.Helper()

	record := put(t, st, "prod/a", 1)
	ended := make(chan error, 2)

	for range cap(ended) {
		go func() { ended <- lastError(st, t.Context(), record.Revision) }()
	}

	require.NoError(t, st.Close())

	for range cap(ended) {
		require.ErrorIs(t, <-ended, store.ErrClosed)
	}
}

func testClosed(t *testing.T, st store.Store) {
	t.Helper()

	put(t, st, "prod/a", 1)
	require.NoError(t, st.Close())
	require.NoError(t, st.Close(), "twice is no harm")

	ctx := t.Context()
	calls := map[string]func() error{
		"Accept":  func() error { _, err := st.Accept(ctx, []store.Work{wish("prod/a", signal, "x", noon)}); return err },
		"Work":    func() error { _, err := st.Work(ctx); return err },
		"Commit":  func() error { _, err := st.Commit(ctx, store.Commit{Recommendation: value("prod/b", 1)}); return err },
		"Get":     func() error { _, err := st.Get(ctx, "prod/a"); return err },
		"Delete":  func() error { _, err := st.Delete(ctx, "prod/a"); return err },
		"Discard": func() error { return st.Discard(ctx, "prod/a", 1) },
		"Park":    func() error { return st.Park(ctx, nil) },
		"Parked":  func() error { _, err := st.Parked(ctx); return err },
		"Load":    func() error { _, err := st.Load(ctx); return err },
		"Watch":   func() error { return lastError(st, ctx, 0) },
	}

	for name, call := range calls {
		require.ErrorIs(t, call(), store.ErrClosed, name)
	}
}

func testCompacted(t *testing.T, st store.Store) {
	t.Helper()

	const most = 100_000 // changes that a store without an order to compact may remember

	first := put(t, st, "prod/a", 0)
	put(t, st, "prod/a", 1)

	last := put(t, st, "prod/a", 2)

	if compactor, can := st.(Compactor); can {
		require.NoError(t, compactor.Compact(t.Context(), last.Revision))
	} else {
		for i := range int64(most) {
			last = put(t, st, "prod/a", i)
		}
	}

	require.ErrorIs(t, lastError(st, t.Context(), first.Revision), store.ErrCompacted)

	// What is there is not lost with its history, and going on from it works.
	snapshot := load(t, st)
	require.Len(t, snapshot.Records, 1)
	equalRecord(t, last, snapshot.Records[0])

	next := put(t, st, "prod/b", 1)
	require.Equal(t, next.Revision, follow(t, st, snapshot.Revision, 1)[0].Revision)
}
