package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

var deleteTests = map[string]func(*testing.T, store.Store){
	"a deleted service is forgotten with its work": testDelete,
	"a service of which only work is known":        testDeleteWorkOnly,
	"a deleted service can come back":              testDeleteAndBack,
	"what began before does not bring it back":     testDeleteFence,
	"a deletion is remembered for long enough":     testDeleteIsRemembered,
	"what was deleted is loaded":                   testDeletionsAreLoaded,
}

func testDelete(t *testing.T, st store.Store) {
	t.Helper()

	a, b := put(t, st, "prod/a", 1), put(t, st, "prod/b", 1)
	accept(t, st, wish("prod/a", signal, "clickhouse", noon), wish("prod/b", signal, "clickhouse", noon))

	revision := remove(t, st, "prod/a")
	require.Greater(t, revision, b.Revision)

	_, err := st.Get(t.Context(), "prod/a")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NotContains(t, waiting(t, t.Context(), st), "prod/a")
	require.Contains(t, waiting(t, t.Context(), st), "prod/b")

	snapshot := load(t, st)
	require.Len(t, snapshot.Records, 1)
	equalRecord(t, b, snapshot.Records[0])

	events := follow(t, st, a.Revision, 2)
	require.Equal(t, store.Event{Revision: revision, Service: "prod/a"}, events[1])

	_, err = st.Delete(t.Context(), "prod/a")
	require.ErrorIs(t, err, store.ErrNotFound, "once is enough")
}

func testDeleteWorkOnly(t *testing.T, st store.Store) {
	t.Helper()

	before := put(t, st, "prod/b", 1)
	accept(t, st, wish("prod/wish", signal, "clickhouse", noon))
	revision := remove(t, st, "prod/wish")
	require.Empty(t, waiting(t, t.Context(), st))

	events := follow(t, st, before.Revision, 1)
	require.Equal(t, store.Event{Revision: revision, Service: "prod/wish"}, events[0], "whoever waits for it is told")
}

func testDeleteAndBack(t *testing.T, st store.Store) {
	t.Helper()

	first := put(t, st, "prod/a", 1)
	removed := remove(t, st, "prod/a")
	second := put(t, st, "prod/a", 2)

	require.IsIncreasing(t, []int64{first.Revision, removed, second.Revision})

	events := follow(t, st, 0, 3)
	equalRecord(t, first, events[0].Record)
	require.Nil(t, events[1].Record.Recommendation)
	equalRecord(t, second, events[2].Record)
}

// An evaluation that began before the deletion of a service must not bring it back, whether it had a record or not.
func testDeleteFence(t *testing.T, st store.Store) {
	t.Helper()

	for name, recorded := range map[string]bool{"prod/new": false, "prod/old": true} {
		if recorded {
			put(t, st, name, 1)
		}

		before := accept(t, st, wish(name, signal, "clickhouse", noon))
		remove(t, st, name)

		begun := store.Commit{Recommendation: value(name, 2), Changed: true, Asked: before, WorkRevision: before}

		_, err := st.Commit(t.Context(), begun)
		require.ErrorIs(t, err, store.ErrDeleted)
		require.Zero(t, revisionOf(t, st, name))

		// What is accepted later makes it anew, and still nothing of before may write.
		after := accept(t, st, wish(name, signal, "clickhouse", noon))

		_, err = st.Commit(t.Context(), begun)
		require.ErrorIs(t, err, store.ErrDeleted)
		require.Contains(t, waiting(t, t.Context(), st), name)

		anew := commit(t, st, store.Commit{Recommendation: value(name, 3), Changed: true, Asked: after, WorkRevision: after})

		_, err = st.Commit(t.Context(), begun)
		require.ErrorIs(t, err, store.ErrConflict)

		got, err := st.Get(t.Context(), name)
		require.NoError(t, err)
		equalRecord(t, anew, got)
	}
}

func testDeleteIsRemembered(t *testing.T, st store.Store) {
	t.Helper()

	accepted := accept(t, st, wish("prod/a", signal, "clickhouse", noon))
	remove(t, st, "prod/a")

	// Others that go, come back and go again do not make it forget.
	for i := range 3 {
		for _, name := range []string{"prod/x", "prod/y"} {
			put(t, st, name, int64(i+1))
			remove(t, st, name)
		}
	}

	_, err := st.Commit(t.Context(), store.Commit{Recommendation: value("prod/a", 1), Changed: true, Asked: accepted})
	require.ErrorIs(t, err, store.ErrDeleted)
}

func testDeletionsAreLoaded(t *testing.T, st store.Store) {
	t.Helper()

	before := put(t, st, "prod/kept", 1)

	put(t, st, "prod/back", 1)
	remove(t, st, "prod/back")
	put(t, st, "prod/gone", 1)
	remove(t, st, "prod/gone")
	put(t, st, "prod/gone", 2)

	gone := remove(t, st, "prod/gone")
	put(t, st, "prod/back", 2)

	snapshot := load(t, st)
	require.Equal(t, []store.Deletion{{Service: "prod/gone", Revision: gone}}, snapshot.Deletions, "the latest of each")
	require.Less(t, snapshot.Forgotten, before.Revision)
}
