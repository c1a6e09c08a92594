package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestAWaitIsKeptToWhateverComesMeanwhile(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			return RetryAfter(errors.New("busy"), 30*time.Second)
		})
		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())

		// Taken back, and given again.
		server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 2)))
		server.Put(advice("a/x", 1, 2))
		<-time.After(29 * time.Second)
		require.Empty(t, r.taken())
		<-time.After(2 * time.Second)
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}

func TestAFailedActionIsRepeatedLessAndLess(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		var times []time.Time

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			times = append(times, time.Now())

			return errors.New("down")
		})
		server.Put(advice("a/x", 1, 2))
		<-time.After(time.Hour)
		synctest.Wait()

		require.Less(t, len(times), 130)
		require.Greater(t, len(times), 40)

		for i := range times[1:] {
			require.GreaterOrEqual(t, times[i+1].Sub(times[i]), 500*time.Millisecond)
			require.LessOrEqual(t, times[i+1].Sub(times[i]), 90*time.Second)
		}
	})
}

func TestWhatFailsForGoodIsNotRepeated(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return Permanent(errors.New("no")) })
		server.Put(advice("a/x", 1, 2))
		<-time.After(time.Hour)
		require.Equal(t, []string{"a/x 2"}, r.taken())

		server.Put(advice("a/x", 1, 3))
		require.Equal(t, []string{"a/x 3"}, r.taken(), "a new value is another matter")
	})
}

func TestNobodyAsksForAWaitOfMoreThanAnHour(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			return RetryAfter(errors.New("busy"), 1000*time.Hour)
		})
		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())
		<-time.After(maxAskedDelay - time.Second)
		require.Empty(t, r.taken())
		<-time.After(2 * time.Second)
		require.Equal(t, []string{"a/x 2"}, r.taken())
	})
}
