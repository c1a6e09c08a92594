package watch

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

const (
	crowdReaders  = 1000
	crowdStalled  = 10 // every tenth
	crowdServices = 16
	crowdRounds   = 6
)

// crowd are many readers of one hub, of whom some have stopped reading.
type crowd [crowdReaders]*client

// open lets all begin, or go on where they were.
func (c *crowd) open(t *testing.T, h *Hub) {
	t.Helper()

	for i := range c {
		if c[i] == nil {
			c[i] = &client{filter: modelFilters[i%2], forgetful: true}
		}

		c[i].connect(t, h)

		if i%crowdStalled != 0 {
			c[i].reader.grant(all)
		} else {
			c[i].reader.grant(i / crowdStalled % 30) // and stops somewhere on the way
		}
	}
}

// close ends all streams and takes in what they brought.
func (c *crowd) close() {
	for _, reader := range c {
		reader.disconnect()
	}
}

// churn writes round after round of changes, some of which are removals.
func churn(t *testing.T, st store.Store) {
	t.Helper()

	for round := range crowdRounds {
		for i := range crowdServices {
			if service := serviceName(i); (i+round)%7 == 0 && round > 0 && (i+round-1)%7 != 0 {
				remove(t, st, service)
			} else if i%2 == 0 {
				put(t, st, value(service, int64(round)))
			} else {
				put(t, st, value(service, int64(round), observeOnly))
			}
		}

		synctest.Wait()
	}
}

// A thousand readers, a tenth of whom stall: whoever writes does not wait for a moment, the stalled ones are ended, and
// everybody ends with what is true, also across a restart that loses the store's history. No revision goes back.
func TestACrowdEndsAtTheFinalState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, after := store.NewMemory(), store.NewMemory()

		var readers crowd

		h := newHub(t, before)
		readers.open(t, h)

		began := time.Now()

		churn(t, before)
		require.Zero(t, time.Since(began), "the clock stands while anything can go on, so nothing has waited for a reader")

		<-time.After(h.config.SendTimeout + h.config.HeartbeatInterval + 2*closeGrace)
		synctest.Wait()
		require.EqualValues(t, crowdReaders/crowdStalled, h.counts.ends[endedSlow].Load())
		require.Equal(t, crowdReaders-crowdReaders/crowdStalled, h.Watchers())
		require.Positive(t, h.counts.coalesced.Load())

		// Another server, which has never heard of their tokens.
		churn(t, after)
		readers.close()

		held := 0

		for _, c := range readers {
			if c.token != "" {
				held++
			}
		}

		h = newHub(t, after)

		readers.open(t, h)
		synctest.Wait()
		readers.close()
		require.EqualValues(t, held, h.counts.resumes[resumeForeign].Load(), "all are told that their tokens are void")
		require.Greater(t, held, crowdReaders*9/10)

		readers.open(t, h)
		churn(t, after)
		readers.close()

		snapshot, err := after.Load(t.Context())
		require.NoError(t, err)

		for i, c := range readers {
			c.finish(t, h)
			require.NoError(t, c.check(fmt.Sprintf("reader %d", i), expected(snapshot, c.filter)))
		}
	})
}
