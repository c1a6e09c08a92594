package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

var workTests = map[string]func(*testing.T, store.Store){
	"accepted work is there until it is covered":        testWorkUntilCovered,
	"work that came later stays":                        testLaterWorkStays,
	"a commit covers no work of others":                 testCommitCoversItsOwn,
	"work for one service is merged":                    testMerge,
	"work accepted together is merged too":              testMergeWithin,
	"work that is merged away keeps the latest wish":    testMergeRevision,
	"accepting is no change of a record":                testAcceptIsNoChange,
	"nothing is accepted when the caller has gone away": testAcceptCancelled,
}

const (
	manual   = tidemarkv1.Trigger_TRIGGER_MANUAL
	periodic = tidemarkv1.Trigger_TRIGGER_PERIODIC
	signal   = tidemarkv1.Trigger_TRIGGER_SIGNAL
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 123456789, time.UTC)

// wish is work with all that can be remembered of it.
func wish(service string, trigger tidemarkv1.Trigger, source string, at time.Time) store.Work {
	return store.Work{
		Service: service, Trigger: trigger, Source: source, Detail: source + " says so",
		Observed: at, Accepted: at.Add(time.Second),
	}
}

// waiting returns the work by service, with times that can be compared.
func waiting(t require.TestingT, ctx context.Context, st store.Store) map[string]store.Work {
	list, err := st.Work(ctx)
	require.NoError(t, err)

	work := make(map[string]store.Work, len(list))
	for _, w := range list {
		_, twice := work[w.Service]
		require.False(t, twice, w.Service)

		w.Observed, w.Accepted = w.Observed.UTC(), w.Accepted.UTC()
		work[w.Service] = w
	}

	return work
}

func testWorkUntilCovered(t *testing.T, st store.Store) {
	t.Helper()

	require.Empty(t, waiting(t, t.Context(), st))

	a, b := wish("prod/a", signal, "clickhouse", noon), wish("prod/b", periodic, "cron", noon)
	first := accept(t, st, a)
	second := accept(t, st, b)

	require.Greater(t, second, first)

	a.Revision, b.Revision = first, second
	require.Equal(t, map[string]store.Work{"prod/a": a, "prod/b": b}, waiting(t, t.Context(), st))

	commit(t, st, store.Commit{Recommendation: value("prod/a", 1), Changed: true, WorkRevision: first})
	require.Equal(t, map[string]store.Work{"prod/b": b}, waiting(t, t.Context(), st))

	commit(t, st, store.Commit{Recommendation: value("prod/b", 1), Changed: true})
	require.Contains(t, waiting(t, t.Context(), st), "prod/b", "revision 0 covers nothing")

	commit(t, st, store.Commit{Recommendation: value("prod/b", 1), WorkRevision: second})
	require.Empty(t, waiting(t, t.Context(), st), "a commit without a change of value covers work as well")
}

func testLaterWorkStays(t *testing.T, st store.Store) {
	t.Helper()

	first := accept(t, st, wish("prod/a", periodic, "cron", noon))
	second := accept(t, st, wish("prod/a", signal, "clickhouse", noon))

	commit(t, st, store.Commit{Recommendation: value("prod/a", 1), Changed: true, WorkRevision: first})
	require.Equal(t, second, waiting(t, t.Context(), st)["prod/a"].Revision)

	commit(t, st, store.Commit{Recommendation: value("prod/a", 1), WorkRevision: second})
	require.Empty(t, waiting(t, t.Context(), st))

	third := accept(t, st, wish("prod/a", periodic, "cron", noon))
	require.Equal(t, third, waiting(t, t.Context(), st)["prod/a"].Revision)
}

func testCommitCoversItsOwn(t *testing.T, st store.Store) {
	t.Helper()

	revision := accept(t, st, wish("prod/a", periodic, "cron", noon), wish("prod/b", periodic, "cron", noon))

	commit(t, st, store.Commit{Recommendation: value("prod/a", 1), Changed: true, WorkRevision: revision})

	work := waiting(t, t.Context(), st)
	require.NotContains(t, work, "prod/a")
	require.Equal(t, revision, work["prod/b"].Revision)
}

func testMerge(t *testing.T, st store.Store) {
	t.Helper()

	const one, two = "one", "two"

	later := noon.Add(time.Hour)

	for name, c := range map[string]struct {
		first, second store.Work
		speaks        string // the source whose trigger speaks for both
	}{
		"urgent first":      {wish("prod/a", signal, one, noon), wish("prod/a", periodic, two, later), one},
		"urgent second":     {wish("prod/b", periodic, one, noon), wish("prod/b", manual, two, later), two},
		"equal":             {wish("prod/c", manual, one, noon), wish("prod/c", manual, two, later), two},
		"signal and manual": {wish("prod/d", manual, one, later), wish("prod/d", signal, two, noon), two},
		"not set is manual": {wish("prod/e", tidemarkv1.Trigger_TRIGGER_UNSPECIFIED, one, later), wish("prod/e", periodic, two, noon), one},
	} {
		accept(t, st, c.first)

		revision := accept(t, st, c.second)

		want := c.first
		if c.speaks == two {
			want = c.second
		}

		want.Observed, want.Accepted, want.Revision = noon, noon.Add(time.Second), revision
		require.Equal(t, want, waiting(t, t.Context(), st)[c.first.Service], name)
	}
}

func testMergeWithin(t *testing.T, st store.Store) {
	t.Helper()

	revision := accept(t, st,
		wish("prod/a", periodic, "cron", noon), wish("prod/b", manual, "person", noon), wish("prod/a", signal, "clickhouse", noon))

	work := waiting(t, t.Context(), st)
	require.Len(t, work, 2)
	require.Equal(t, signal, work["prod/a"].Trigger)
	require.Equal(t, revision, work["prod/a"].Revision)
}

func testMergeRevision(t *testing.T, st store.Store) {
	t.Helper()

	first := accept(t, st, wish("prod/a", signal, "clickhouse", noon))
	second := accept(t, st, wish("prod/a", periodic, "cron", noon))

	require.Greater(t, second, first)
	require.Equal(t, second, waiting(t, t.Context(), st)["prod/a"].Revision, "though the first is more urgent")
}

func testAcceptIsNoChange(t *testing.T, st store.Store) {
	t.Helper()

	before := put(t, st, "prod/a", 1)

	accept(t, st, wish("prod/a", signal, "clickhouse", noon))
	accept(t, st, wish("prod/b", signal, "clickhouse", noon))

	after, err := st.Get(t.Context(), "prod/a")
	require.NoError(t, err)
	equalRecord(t, before, after)

	_, err = st.Get(t.Context(), "prod/b")
	require.ErrorIs(t, err, store.ErrNotFound)
	require.Len(t, load(t, st).Records, 1)

	next := put(t, st, "prod/c", 1)
	events := follow(t, st, before.Revision, 1)
	require.Equal(t, next.Revision, events[0].Revision, "watchers hear of records only")
}

func testAcceptCancelled(t *testing.T, st store.Store) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := st.Accept(ctx, []store.Work{wish("prod/a", signal, "clickhouse", noon)})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, waiting(t, t.Context(), st))
}
