package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

var discardTests = map[string]func(*testing.T, store.Store){
	"discarded work is gone and the record stays":        testDiscard,
	"work that came after what is discarded stays":       testDiscardLeavesLaterWork,
	"discarding what is not there is no error":           testDiscardNothing,
	"discarding is no change of a record":                testDiscardIsNoChange,
	"nothing is discarded when the caller has gone away": testDiscardCancelled,
}

func discard(t *testing.T, st store.Store, service string, upTo int64) {
	t.Helper()
	require.NoError(t, st.Discard(t.Context(), service, upTo))
}

func testDiscard(t *testing.T, st store.Store) {
	t.Helper()

	record := put(t, st, "prod/a", 1)
	revision := accept(t, st, wish("prod/a", signal, "clickhouse", noon), wish("prod/b", signal, "clickhouse", noon))

	discard(t, st, "prod/a", revision)

	work := waiting(t, t.Context(), st)
	require.NotContains(t, work, "prod/a")
	require.Equal(t, revision, work["prod/b"].Revision, "of another service")

	got, err := st.Get(t.Context(), "prod/a")
	require.NoError(t, err)
	equalRecord(t, record, got)

	again := accept(t, st, wish("prod/a", periodic, "cron", noon))
	require.Greater(t, again, revision)
	require.Equal(t, periodic, waiting(t, t.Context(), st)["prod/a"].Trigger, "nothing of the discarded wish is left")
}

func testDiscardLeavesLaterWork(t *testing.T, st store.Store) {
	t.Helper()

	first := accept(t, st, wish("prod/a", signal, "clickhouse", noon))
	second := accept(t, st, wish("prod/a", periodic, "cron", noon))

	discard(t, st, "prod/a", 0)
	discard(t, st, "prod/a", first)
	require.Equal(t, second, waiting(t, t.Context(), st)["prod/a"].Revision)

	discard(t, st, "prod/a", second+100)
	require.Empty(t, waiting(t, t.Context(), st))
}

func testDiscardNothing(t *testing.T, st store.Store) {
	t.Helper()

	revision := accept(t, st, wish("prod/a", signal, "clickhouse", noon))

	discard(t, st, "prod/none", revision)
	discard(t, st, "prod/a", revision)
	discard(t, st, "prod/a", revision)
	require.Empty(t, waiting(t, t.Context(), st))
}

func testDiscardIsNoChange(t *testing.T, st store.Store) {
	t.Helper()

	before := put(t, st, "prod/a", 1)
	discard(t, st, "prod/a", accept(t, st, wish("prod/a", signal, "clickhouse", noon)))

	next := put(t, st, "prod/b", 1)
	require.Equal(t, next.Revision, follow(t, st, before.Revision, 1)[0].Revision, "watchers hear of records only")

	// A commit that was made from the record before still holds.
	_, err := st.Commit(t.Context(), store.Commit{Recommendation: value("prod/a", 2), Changed: true, Previous: before.Revision})
	require.NoError(t, err)
}

func testDiscardCancelled(t *testing.T, st store.Store) {
	t.Helper()

	revision := accept(t, st, wish("prod/a", signal, "clickhouse", noon))
	ctx, cancel := context.WithCancel(t.Context())

	cancel()
	require.ErrorIs(t, st.Discard(ctx, "prod/a", revision), context.Canceled)
	require.Contains(t, waiting(t, t.Context(), st), "prod/a")
}
