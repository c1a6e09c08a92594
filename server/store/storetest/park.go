package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

var parkTests = map[string]func(*testing.T, store.Store){
	"what was parked last is there":                     testParked,
	"nothing is parked when the caller has gone away":   testParkCancelled,
	"parking is no change of a record and of no work's": testParkIsNoChange,
}

// parked is one of each kind.
func parked() []store.Parked {
	return []store.Parked{
		{Service: "prod/c", Revision: 7, Attempts: 2, LastError: "timed out", RetryTime: noon},
		{Service: "prod/d", Revision: 9, Attempts: 6, LastError: "no such column", GaveUp: true},
	}
}

// left returns what is parked, with times that can be compared.
func left(t *testing.T, st store.Store) []store.Parked {
	t.Helper()

	list, err := st.Parked(t.Context())
	require.NoError(t, err)

	for i := range list {
		if !list[i].RetryTime.IsZero() {
			list[i].RetryTime = list[i].RetryTime.UTC()
		}
	}

	return list
}

func testParked(t *testing.T, st store.Store) {
	t.Helper()

	require.Empty(t, left(t, st))

	given := parked()
	require.NoError(t, st.Park(t.Context(), given))

	given[0].Attempts = 99
	require.ElementsMatch(t, parked(), left(t, st), "the store has its own copy")

	require.NoError(t, st.Park(t.Context(), parked()[:1]))
	require.Equal(t, parked()[:1], left(t, st), "all that was parked before is replaced")

	require.NoError(t, st.Park(t.Context(), nil))
	require.Empty(t, left(t, st))
}

func testParkCancelled(t *testing.T, st store.Store) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	require.ErrorIs(t, st.Park(ctx, parked()), context.Canceled)
	require.Empty(t, left(t, st))
}

func testParkIsNoChange(t *testing.T, st store.Store) {
	t.Helper()

	put(t, st, "prod/c", 1)

	revision, err := st.Accept(t.Context(), []store.Work{wish("prod/c", signal, "x", noon)})
	require.NoError(t, err)

	before := waiting(t, t.Context(), st)

	require.NoError(t, st.Park(t.Context(), parked()))
	require.Equal(t, before, waiting(t, t.Context(), st))

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()

	for event, err := range st.Watch(ctx, revision) {
		require.Error(t, err, "%+v", event)
	}
}
