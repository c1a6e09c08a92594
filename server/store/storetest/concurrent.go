package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

// testConcurrentCounting counts up one value from many sides: no step is lost, and whoever watches sees each.
func testConcurrentCounting(t *testing.T, st store.Store) {
	t.Helper()

	const writers, steps = 4, 50

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	var (
		writing sync.WaitGroup
		failed  atomic.Pointer[error]
	)

	for range writers {
		writing.Go(func() {
			for range steps {
				if err := countUp(ctx, st, "prod/counter"); err != nil {
					failed.Store(&err)
				}
			}
		})
	}

	for i, event := range follow(t, st, 0, writers*steps) {
		require.EqualValues(t, i+1, event.Record.Recommendation.GetRecommended().GetCpuMillis())
	}

	writing.Wait()
	require.Nil(t, failed.Load())
}

// countUp reads, adds one and writes, until it gets through.
func countUp(ctx context.Context, st store.Store, service string) error {
	for {
		record, err := st.Get(ctx, service)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}

		next := value(service, record.Recommendation.GetRecommended().GetCpuMillis()+1)

		_, err = st.Commit(ctx, store.Commit{Recommendation: next, Changed: true, Previous: record.Revision})
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}

// testConcurrentWork accepts work while it is being covered: what no commit has covered is there in the end.
func testConcurrentWork(t *testing.T, st store.Store) {
	t.Helper()

	const rounds = 200

	var (
		accepting     sync.WaitGroup
		last, covered int64
		failure       error
	)

	accepting.Go(func() {
		for range rounds {
			revision, err := st.Accept(t.Context(), []store.Work{wish("prod/a", signal, "clickhouse", noon)})
			last, failure = max(last, revision), errors.Join(failure, err)
		}
	})

	for i := range int64(rounds) {
		revision := waiting(t, t.Context(), st)["prod/a"].Revision
		covered = max(covered, revision)

		commit(t, st, store.Commit{Recommendation: value("prod/a", i), Changed: true, WorkRevision: revision})
	}

	accepting.Wait()
	require.NoError(t, failure)

	work, left := waiting(t, t.Context(), st)["prod/a"]
	require.Equal(t, last > covered, left)

	if left {
		require.Equal(t, last, work.Revision)
	}
}
