// Package storetest is what every store.Store must do, as tests.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// patience is how long a store on a busy machine may take for what a test waits for.
const patience = time.Minute

// Compactor is a store whose history can be cut off by order. The history of one that is none must be bounded by the
// number of changes.
type Compactor interface {
	// Compact forgets the changes up to and with the revision.
	Compact(ctx context.Context, revision int64) error
}

// Run tests the stores that open returns: each empty and with a history of its own, closed when the test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()

	for _, group := range []map[string]func(*testing.T, store.Store){
		workTests, parkTests, discardTests, commitTests, deleteTests, watchTests, endTests,
	} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) { test(t, open(t)) })
		}
	}

	t.Run("concurrent counting", func(t *testing.T) { testConcurrentCounting(t, open(t)) })
	t.Run("concurrent work", func(t *testing.T) { testConcurrentWork(t, open(t)) })
	t.Run("model", func(t *testing.T) { testModel(t, open(t)) })
}

// value makes a recommendation with as many millicores.
func value(service string, millis int64) *tidemarkv1.Recommendation {
	return &tidemarkv1.Recommendation{
		Service:     service,
		Recommended: &tidemarkv1.Size{CpuMillis: millis, MemoryBytes: 1 << 30},
		Reasons:     []tidemarkv1.Reason{tidemarkv1.Reason_REASON_CPU_ABOVE_BAND},
	}
}

// put commits a new value of a service, whatever was there before.
func put(t *testing.T, st store.Store, service string, millis int64) store.Record {
	t.Helper()

	return commit(t, st, store.Commit{Recommendation: value(service, millis), Changed: true})
}

// commit commits over what is there.
func commit(t *testing.T, st store.Store, c store.Commit) store.Record {
	t.Helper()

	c.Previous = revisionOf(t, st, c.Recommendation.GetService())

	record, err := st.Commit(t.Context(), c)
	require.NoError(t, err)

	return record
}

// revisionOf is the revision of a service's record, 0 when there is none.
func revisionOf(t *testing.T, st store.Store, service string) int64 {
	t.Helper()

	record, err := st.Get(t.Context(), service)
	if err != nil {
		require.ErrorIs(t, err, store.ErrNotFound)
	}

	return record.Revision
}

func accept(t *testing.T, st store.Store, work ...store.Work) int64 {
	t.Helper()

	revision, err := st.Accept(t.Context(), work)
	require.NoError(t, err)

	return revision
}

func remove(t *testing.T, st store.Store, service string) int64 {
	t.Helper()

	revision, err := st.Delete(t.Context(), service)
	require.NoError(t, err)

	return revision
}

func load(t *testing.T, st store.Store) store.Snapshot {
	t.Helper()

	snapshot, err := st.Load(t.Context())
	require.NoError(t, err)

	return snapshot
}

// equalRecord compares two records by what they say: a store may well have written them down in between.
func equalRecord(t require.TestingT, want, got store.Record) {
	require.Equal(t, want.Revision, got.Revision)
	require.Equal(t, want.Published, got.Published)
	require.Equal(t, want.State, got.State)
	require.True(t, proto.Equal(want.Recommendation, got.Recommendation), "want %v, got %v",
		want.Recommendation, got.Recommendation)
}
