package tidemark

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLedgerLetsNothingGoBack(t *testing.T) {
	t.Parallel()

	l := newLedger()
	require.True(t, l.put("a/x", 5))
	require.False(t, l.put("a/x", 4))
	require.True(t, l.put("a/x", 5), "the same revision is one that was asked for again")
	require.True(t, l.put("a/y", 1), "services do not concern each other")
	require.False(t, l.remove("a/x", 4))
	require.True(t, l.remove("a/x", 6))
	require.False(t, l.put("a/x", 5), "a value older than the removal")
	require.True(t, l.put("a/x", 7))
	require.True(t, l.remove("a/z", 1), "a removal of what was never yielded")
}

func TestLedgerForgetsRemovalsInTime(t *testing.T) {
	t.Parallel()

	l := newLedger()
	l.put("a/x", 5)
	l.remove("a/x", 6)
	l.settle()
	require.Empty(t, l.gone)
	require.Empty(t, l.revisions)
}

func TestLedgerKnowsWhatASnapshotLacks(t *testing.T) {
	t.Parallel()

	l := newLedger()
	l.put("a/x", 5)
	l.put("a/y", 5)
	l.put("a/z", 5)

	// One that breaks off takes nothing away.
	l.startSnapshot()
	l.put("a/n", 1)

	l.startSnapshot()
	require.True(t, l.put("a/y", 1), "revisions of another store do not count")
	l.remove("a/z", 2)
	require.Equal(t, []string{"a/n", "a/x"}, l.endSnapshot())
	require.Empty(t, l.endSnapshot())
}

// After a snapshot it is known what is not held, and its removal is no news; before one, whoever resumes may hold anything.
func TestLedgerKnowsWhatIsNotHeld(t *testing.T) {
	t.Parallel()

	l := newLedger()
	require.True(t, l.remove("a/x", 3), "it may be held since before the watch began")

	l.startSnapshot()
	require.True(t, l.put("a/x", 5))
	l.endSnapshot()

	require.False(t, l.remove("a/y", 4))
	require.False(t, l.put("a/y", 3), "older than its removal")
	require.True(t, l.remove("a/x", 6))
	require.False(t, l.remove("a/x", 6), "told already")
	require.True(t, l.put("a/x", 7))

	l.startSnapshot()
	require.True(t, l.remove("a/x", 1), "held before the snapshot")
	require.True(t, l.remove("a/n", 1), "it may be held: the snapshot is not over")
}
