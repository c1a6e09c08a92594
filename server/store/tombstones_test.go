package store

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Deletions are remembered for their time, and not much longer.
func TestTombstonesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tombs := newTombstones()
		tombs.add("prod/again", 1)

		for i := range 100 {
			tombs.add(fmt.Sprintf("prod/%d", i), int64(i+2))
		}

		<-time.After(DeletionMemory)
		tombs.add("prod/again", 200)
		require.True(t, tombs.after("prod/0", 1), "not a moment too early")
		require.False(t, tombs.after("prod/0", 2), "what began after the deletion has nothing to do with it")

		<-time.After(1)
		tombs.add("prod/last", 201)
		require.False(t, tombs.after("prod/0", 1))
		require.EqualValues(t, 101, tombs.forgotten)
		require.ElementsMatch(t, []Deletion{{"prod/again", 200}, {"prod/last", 201}}, tombs.all())
		require.True(t, tombs.after("prod/again", 199), "its latest deletion counts")
		require.Len(t, tombs.revisions, 2)
		require.Len(t, tombs.order, 2)
	})
}
