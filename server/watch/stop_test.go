package watch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

func TestStopEndsStreamsWithALastToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		revision := put(t, st, value("prod/a", 1))
		h := newHub(t, st)
		r := open(t, h, all, &request{})

		synctest.Wait()
		r.taken()

		began := time.Now()

		h.Stop(t.Context())
		h.Stop(t.Context()) // twice is no harm
		<-r.ended
		require.ErrorIs(t, r.err, ErrStopping)
		require.Zero(t, time.Since(began), "at once")

		got := r.taken()
		require.Equal(t, []string{"beat"}, texts(got))
		require.Equal(t, encodeToken(st.Epoch(), revision), got[0].GetResumeToken())
		require.ErrorIs(t, h.Stream(t.Context(), &request{}, nil), ErrStopping, "and nobody is let in")
	})
}

// A server that stops must not wait for those who do not read, nor hand out a token for what they did not get.
func TestStopDoesNotWaitForBlockedReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		for i := range 1000 {
			put(t, st, value(serviceName(i), 1))
		}

		h := newHub(t, st)
		inSnapshot := open(t, h, 10, &request{})
		live := open(t, h, 1, &request{ChangesOnly: true})

		synctest.Wait()

		for i := range 10 {
			put(t, st, value(serviceName(i), 2))
		}

		synctest.Wait()

		began := time.Now()

		h.Stop(t.Context())
		synctest.Wait()
		inSnapshot.grant(all) // just in time for a last event
		<-inSnapshot.ended
		<-live.ended
		require.LessOrEqual(t, time.Since(began), 2*closeGrace)
		require.ErrorIs(t, inSnapshot.err, ErrStopping)
		require.ErrorIs(t, live.err, ErrStopping)

		for _, e := range inSnapshot.taken() {
			require.Empty(t, e.GetResumeToken())
		}
	})
}

// ending is when a stream ended after the stop began, and when its reader is asked to come back after that.
type ending struct{ after, retry time.Duration }

// endings stops a hub with so many readers that all read.
func endings(t *testing.T, h *Hub, ctx context.Context, count int) []ending {
	t.Helper()

	ends := make(chan ending, count)
	began := time.Now()

	for range count {
		r := open(t, h, all, &request{})

		go func() {
			<-r.ended

			stopping, is := errors.AsType[StoppingError](r.err)
			if !is {
				stopping.RetryAfter = -1
			}

			ends <- ending{time.Since(began), stopping.RetryAfter}
		}()
	}

	synctest.Wait()
	require.Equal(t, count, h.Watchers())
	h.Stop(ctx)

	all := make([]ending, count)
	for i := range all {
		all[i] = <-ends
	}

	return all
}

// Readers that come back elsewhere all at once would stall the servers that they come back to.
func TestStopEndsManyStreamsAtALimitedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 400

		h := newHub(t, store.NewMemory())
		all := endings(t, h, t.Context(), count)

		perSecond := make(map[int]int)
		retries := make(map[time.Duration]struct{})

		for _, e := range all {
			perSecond[int(e.after.Seconds())]++
			retries[e.retry] = struct{}{}
			require.GreaterOrEqual(t, e.retry, time.Second/2)
			require.Less(t, e.retry, 2*time.Second)
		}

		require.Equal(t, map[int]int{0: count / 2, 1: count / 2}, perSecond)
		require.Greater(t, len(retries), count/2, "and they come back at different times")
	})
}

func TestStopTakesNoLongerThanTheSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, store.NewMemory(), func(c *Config) { c.StopSpread = time.Second })
		all := endings(t, h, t.Context(), 500)

		last := slices.MaxFunc(all, func(a, b ending) int { return int(a.after - b.after) })
		require.InDelta(t, h.config.StopSpread.Seconds(), last.after.Seconds(), 0.1)
	})
}

func TestStopEndsTheRestAtOnceWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patience = 100 * time.Millisecond

		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()

		for _, e := range endings(t, newHub(t, store.NewMemory()), ctx, 500) {
			require.LessOrEqual(t, e.after, patience)
		}
	})
}

// A stream is whole until it ends, and its last token is as new as all that it sent.
func TestStreamsGoOnUntilTheirTurnComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st, func(c *Config) { c.StopSpread = time.Second })
		readers := []*reader{open(t, h, all, &request{}), open(t, h, all, &request{})}

		synctest.Wait()

		go h.Stop(t.Context())

		synctest.Wait()
		require.Equal(t, 1, h.Watchers())
		require.ErrorIs(t, h.Stream(t.Context(), &request{}, nil), ErrStopping, "nobody is let in")

		revision := put(t, st, value("prod/a", 1))

		for _, r := range readers {
			<-r.ended
		}

		got := slices.Concat(readers[0].taken(), readers[1].taken())
		require.ElementsMatch(t, []string{"end 0", "beat", "end 0", "prod/a=1", "beat"}, texts(got))
		require.True(t, slices.ContainsFunc(got, func(e *event) bool {
			return e.GetHeartbeat() != nil && e.GetResumeToken() == encodeToken(st.Epoch(), revision)
		}))
	})
}

// Nothing wakes a reader for what is none of their business; the last token is past that all the same.
func TestTheLastTokenIsTheHeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		r := open(t, h, all, &request{Filter: only("dev/x")})

		synctest.Wait()

		revision := put(t, st, value("prod/a", 1))

		synctest.Wait()
		h.Stop(t.Context())
		<-r.ended

		got := r.taken()
		require.Equal(t, []string{"end 0", "beat"}, texts(got))
		require.Equal(t, encodeToken(st.Epoch(), revision), got[1].GetResumeToken())
	})
}

// Connections are asked to go after a while, which leaves their streams running: streams must end by themselves.
func TestStreamsEndForTheirAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const age, streams = time.Hour, 50

		st := store.NewMemory()
		h := newHub(t, st, func(c *Config) { c.MaxAge = age })
		began := time.Now()
		moments := make(map[time.Duration]struct{})

		var readers [streams]*reader
		for i := range readers {
			readers[i] = open(t, h, all, &request{})
		}

		synctest.Wait()

		revision := put(t, st, value("prod/a", 1))

		for _, r := range readers {
			<-r.ended
			require.ErrorIs(t, r.err, ErrAged)

			got := r.taken()
			last := got[len(got)-1]
			require.NotNil(t, last.GetHeartbeat())
			require.Equal(t, encodeToken(st.Epoch(), revision), last.GetResumeToken())
			moments[last.GetHeartbeat().GetServerTime().AsTime().Sub(began)] = struct{}{}
		}

		for moment := range moments {
			require.GreaterOrEqual(t, moment, age)
			require.LessOrEqual(t, moment, age+age/4)
		}

		require.Greater(t, len(moments), streams/2, "not all at once")
	})
}
