package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/server/store"
)

func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		evaluated := timestamppb.Now()
		r := value("prod/a", 1)
		r.EvaluateTime = evaluated
		put(t, st, r)

		h := newHub(t, st)
		began := time.Now()
		times := make(chan time.Time, most)
		beats := make(chan *event, most)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)

		go func() {
			ended <- h.Stream(ctx, &request{ChangesOnly: true}, func(e *event) error {
				if e.GetHeartbeat() != nil {
					times <- time.Now()
					beats <- e
				}

				return nil
			})
		}()

		const count = 50

		shortest, longest := time.Hour, time.Duration(0)
		last := began

		for range count {
			at := <-times
			shortest, longest = min(shortest, at.Sub(last)), max(longest, at.Sub(last))
			last = at

			beat := <-beats
			require.Equal(t, encodeToken(st.Epoch(), 1), beat.GetResumeToken())
			require.EqualValues(t, 1, beat.GetHeartbeat().GetRevision())
			require.WithinDuration(t, at, beat.GetHeartbeat().GetServerTime().AsTime(), 0)
			require.Equal(t, evaluated.AsTime(), beat.GetHeartbeat().GetFreshTime().AsTime())
		}

		interval := h.config.HeartbeatInterval
		require.LessOrEqual(t, longest, interval)
		require.GreaterOrEqual(t, shortest, interval-interval/10)
		require.Greater(t, longest-shortest, interval/100, "the jitter is there")

		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

// What does not match moves the token all the same, so that resuming is cheap for those who want little.
func TestHeartbeatsCarryTheHeadThoughNothingMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		r := open(t, h, all, &request{Filter: only("dev/x")})

		synctest.Wait()
		r.taken()

		revision := put(t, st, value("prod/a", 1))

		<-time.After(h.config.HeartbeatInterval)
		synctest.Wait()

		got := r.taken()
		require.Equal(t, []string{"beat"}, texts(got))
		require.Equal(t, encodeToken(st.Epoch(), revision), got[0].GetResumeToken())
		require.Nil(t, got[0].GetHeartbeat().GetFreshTime(), "nothing was evaluated yet")
		r.stop()
	})
}

func TestABlockedReaderIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		h := newHub(t, st)
		r := open(t, h, 0, &request{})
		began := time.Now()

		<-r.ended

		took := time.Since(began)
		require.ErrorIs(t, r.err, ErrTooSlow)
		require.GreaterOrEqual(t, took, h.config.SendTimeout)
		require.LessOrEqual(t, took, h.config.HeartbeatInterval+h.config.SendTimeout+closeGrace)
		require.Zero(t, h.Watchers())
		require.Empty(t, r.taken())
	}) // the bubble waits for every goroutine: the sender has gone too
}

// A reader may take its time as long as it takes something: nothing is lost for that.
func TestAReaderThatIsSlowButReadsIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		for i := range 20 {
			put(t, st, value(serviceName(i), 1))
		}

		h := newHub(t, st)
		r := open(t, h, 0, &request{})

		for range 21 {
			<-time.After(h.config.SendTimeout - time.Millisecond)
			r.grant(1)
		}

		synctest.Wait()

		got := texts(r.taken())
		require.Len(t, got, 21)
		require.Equal(t, "end 20", got[20])
		r.stop()
	})
}

func TestTheTransportsErrorEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, store.NewMemory())
		broken := errors.New("broken pipe")

		require.ErrorIs(t, h.Stream(t.Context(), &request{}, func(*event) error { return broken }), broken)
		require.ErrorContains(t, h.Stream(t.Context(), &request{}, func(*event) error { panic("bad message") }), "bad message")
	})
}
