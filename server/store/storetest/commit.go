package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

var commitTests = map[string]func(*testing.T, store.Store){
	"a record is read back as it was committed":        testReadBack,
	"a changed value gets the revision of its write":   testChangedRevision,
	"the same value keeps the revision of its change":  testUnchangedRevision,
	"a value is sent again under its revision":         testResend,
	"the first value is a change whatever is said":     testFirstIsChange,
	"revisions grow over all services and writes":      testRevisionsGrow,
	"two commits made from one record are not both in": testConflict,
	"a commit for a record that was deleted conflicts": testConflictWithDelete,
	"nothing is written when the caller has gone away": testCommitCancelled,
	"what is not there is not found":                   testNotFound,
	"the epoch does not change":                        testEpoch,
}

func testReadBack(t *testing.T, st store.Store) {
	t.Helper()

	committed := commit(t, st, store.Commit{Recommendation: value("prod/a", 100), State: []byte("state"), Changed: true})
	want := value("prod/a", 100)
	want.Revision = committed.Revision

	equalRecord(t, store.Record{
		Recommendation: want, State: []byte("state"), Revision: committed.Revision, Published: committed.Revision,
	}, committed)

	got, err := st.Get(t.Context(), "prod/a")
	require.NoError(t, err)
	equalRecord(t, committed, got)

	snapshot := load(t, st)
	require.Len(t, snapshot.Records, 1)
	equalRecord(t, committed, snapshot.Records[0])
	require.GreaterOrEqual(t, snapshot.Revision, committed.Revision)
}

func testChangedRevision(t *testing.T, st store.Store) {
	t.Helper()

	first, second := put(t, st, "prod/a", 1), put(t, st, "prod/a", 2)

	require.Positive(t, first.Revision)
	require.Greater(t, second.Revision, first.Revision)
	require.Equal(t, first.Revision, first.Recommendation.GetRevision())
	require.Equal(t, second.Revision, second.Recommendation.GetRevision())
}

func testUnchangedRevision(t *testing.T, st store.Store) {
	t.Helper()

	first := put(t, st, "prod/a", 1)
	renewed := commit(t, st, store.Commit{Recommendation: value("prod/a", 1), State: []byte("new")})

	require.Greater(t, renewed.Revision, first.Revision)
	require.Equal(t, first.Revision, renewed.Recommendation.GetRevision())
	require.Equal(t, []byte("new"), renewed.State)

	again := commit(t, st, store.Commit{Recommendation: value("prod/a", 1)})
	require.Equal(t, first.Revision, again.Recommendation.GetRevision())
	require.Empty(t, again.State)

	events := follow(t, st, first.Revision, 2)
	equalRecord(t, renewed, events[0].Record)
	equalRecord(t, again, events[1].Record)
	require.Equal(t, renewed.Revision, events[0].Revision)
}

func testResend(t *testing.T, st store.Store) {
	t.Helper()

	first := put(t, st, "prod/a", 1)
	require.Equal(t, first.Revision, first.Published)

	renewed := commit(t, st, store.Commit{Recommendation: value("prod/a", 1)})
	require.Equal(t, first.Revision, renewed.Published, "watchers know that already")

	again := commit(t, st, store.Commit{Recommendation: value("prod/a", 1), Resend: true})
	require.Equal(t, again.Revision, again.Published)
	require.Equal(t, first.Revision, again.Recommendation.GetRevision())

	renewed = commit(t, st, store.Commit{Recommendation: value("prod/a", 1)})
	require.Equal(t, again.Revision, renewed.Published)

	got, err := st.Get(t.Context(), "prod/a")
	require.NoError(t, err)
	equalRecord(t, renewed, got)
	equalRecord(t, renewed, load(t, st).Records[0])
	equalRecord(t, again, follow(t, st, first.Revision, 3)[1].Record)

	changed := commit(t, st, store.Commit{Recommendation: value("prod/a", 2), Changed: true, Resend: true})
	require.Equal(t, changed.Revision, changed.Recommendation.GetRevision())
	require.Equal(t, changed.Revision, changed.Published)
}

func testFirstIsChange(t *testing.T, st store.Store) {
	t.Helper()

	first := commit(t, st, store.Commit{Recommendation: value("prod/a", 1)})
	require.Equal(t, first.Revision, first.Recommendation.GetRevision())

	remove(t, st, "prod/a")

	again := commit(t, st, store.Commit{Recommendation: value("prod/a", 1)})
	require.Equal(t, again.Revision, again.Recommendation.GetRevision())
	require.Greater(t, again.Revision, first.Revision)
}

func testRevisionsGrow(t *testing.T, st store.Store) {
	t.Helper()

	revisions := []int64{
		put(t, st, "prod/a", 1).Revision,
		accept(t, st, wish("prod/b", periodic, "cron", noon)),
		put(t, st, "prod/b", 1).Revision,
		commit(t, st, store.Commit{Recommendation: value("prod/a", 1)}).Revision,
		remove(t, st, "prod/b"),
		put(t, st, "prod/b", 1).Revision,
	}

	require.IsIncreasing(t, revisions)
	require.GreaterOrEqual(t, load(t, st).Revision, revisions[len(revisions)-1])
}

func testConflict(t *testing.T, st store.Store) {
	t.Helper()

	work := accept(t, st, wish("prod/a", signal, "clickhouse", noon))
	commits := func(millis, previous int64) error {
		_, err := st.Commit(t.Context(), store.Commit{
			Recommendation: value("prod/a", millis), Changed: true, Previous: previous, WorkRevision: work - 1,
		})

		return err
	}

	require.ErrorIs(t, commits(1, work), store.ErrConflict, "there is no record to replace")
	require.NoError(t, commits(2, 0))
	require.ErrorIs(t, commits(3, 0), store.ErrConflict, "now there is one")

	revision := revisionOf(t, st, "prod/a")
	require.NoError(t, commits(4, revision))
	require.ErrorIs(t, commits(5, revision), store.ErrConflict)

	// A renewal is a write like any other.
	renewed := commit(t, st, store.Commit{Recommendation: value("prod/a", 4)})
	require.ErrorIs(t, commits(6, renewed.Recommendation.GetRevision()), store.ErrConflict)

	_, err := st.Commit(t.Context(), store.Commit{Recommendation: value("prod/a", 7), WorkRevision: work})
	require.ErrorIs(t, err, store.ErrConflict)
	require.Contains(t, waiting(t, t.Context(), st), "prod/a", "what was refused covers no work")

	got, err := st.Get(t.Context(), "prod/a")
	require.NoError(t, err)
	equalRecord(t, renewed, got)
}

func testConflictWithDelete(t *testing.T, st store.Store) {
	t.Helper()

	record := put(t, st, "prod/a", 1)
	remove(t, st, "prod/a")

	_, err := st.Commit(t.Context(), store.Commit{Recommendation: value("prod/a", 2), Changed: true, Previous: record.Revision})
	require.ErrorIs(t, err, store.ErrConflict)
	require.Zero(t, revisionOf(t, st, "prod/a"))
}

func testCommitCancelled(t *testing.T, st store.Store) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	record := put(t, st, "prod/a", 1)

	_, err := st.Commit(ctx, store.Commit{Recommendation: value("prod/a", 2), Changed: true, Previous: record.Revision})
	require.ErrorIs(t, err, context.Canceled)

	_, err = st.Delete(ctx, "prod/a")
	require.ErrorIs(t, err, context.Canceled)

	got, err := st.Get(t.Context(), "prod/a")
	require.NoError(t, err)
	equalRecord(t, record, got)
}

func testNotFound(t *testing.T, st store.Store) {
	t.Helper()

	_, err := st.Get(t.Context(), "prod/a")
	require.ErrorIs(t, err, store.ErrNotFound)

	_, err = st.Delete(t.Context(), "prod/a")
	require.ErrorIs(t, err, store.ErrNotFound)

	put(t, st, "prod/ab", 1)

	_, err = st.Get(t.Context(), "prod/a")
	require.ErrorIs(t, err, store.ErrNotFound, "the start of a key is not the key")

	snapshot := load(t, st)
	require.Len(t, snapshot.Records, 1)
}

func testEpoch(t *testing.T, st store.Store) {
	t.Helper()

	epoch := st.Epoch()
	require.NotEmpty(t, epoch)
	put(t, st, "prod/a", 1)
	remove(t, st, "prod/a")
	require.Equal(t, epoch, st.Epoch())
}
