package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
)

// A server that is told to stop at once gives everything back: nothing failed, nothing is lost.
func TestShutdownReleasesWithoutAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.set(func(ctx context.Context, _ string) (usage.Snapshot, error) {
			<-ctx.Done()

			return usage.Snapshot{}, ctx.Err()
		})
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()
		require.Equal(t, queue.Depth{Running: 1}, f.queue.Depth())

		f.cancel()
		synctest.Wait()

		item, known := f.queue.Item("prod/a")
		require.True(t, known)
		require.Equal(t, queue.Waiting, item.State)
		require.Zero(t, item.Attempts)
		require.Equal(t, map[string]int{Released: 1}, f.observer.outcomes())
		require.Len(t, f.waitingWork(), 1)
		require.ErrorIs(t, <-f.ended, context.Canceled)

		f.ended <- nil // for the fixture
	})
}

func TestDrainLetsWhatRunsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 1 })
		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			<-time.After(5 * time.Second)

			return seen(service), nil
		})
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()
		f.enqueue("prod/b", queue.Signal)

		left := f.queue.Drain(t.Context())
		require.Len(t, left, 1)
		require.Equal(t, "prod/b", left[0].Service)
		require.EqualValues(t, 2000, f.recommendation("prod/a").GetRecommended().GetCpuMillis())
		require.NoError(t, <-f.ended, "an orderly end is no error")

		f.ended <- nil // for the fixture
	})
}
