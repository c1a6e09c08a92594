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

// stubborn makes evaluations of the services with the prefix hang until the returned function is called, whatever their
// context says.
func (f *fixture) stubborn(services ...string) (letGo func()) {
	held := make(chan struct{})

	f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
		for _, s := range services {
			if s == service {
				<-held
			}
		}

		return seen(service), nil
	})

	return func() { close(held) }
}

// A worker is not lost to an evaluation that hangs and does not heed its cancellation.
func TestAnEvaluationThatCannotBeCancelledIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 1 })
		letGo := f.stubborn("prod/hangs")

		f.enqueue("prod/hangs", queue.Signal)
		synctest.Wait()
		f.enqueue("prod/good", queue.Signal)

		<-time.After(DefaultConfig().Timeout + DefaultConfig().CancelGrace - 1)
		synctest.Wait()
		require.Equal(t, queue.Depth{Running: 1, Waiting: 1}, f.queue.Depth())

		<-time.After(1)
		synctest.Wait()
		require.EqualValues(t, 2000, f.recommendation("prod/good").GetRecommended().GetCpuMillis(), "others go on")
		require.Equal(t, queue.Depth{BackingOff: 1}, f.queue.Depth(), "and it is tried again")
		require.Contains(t, f.recommendation("prod/hangs").GetFailure().GetMessage(), "abandoned")

		cancelled, abandoned := f.observer.overdue()
		require.Equal(t, []int{0, 1}, []int{cancelled, abandoned})

		// What the abandoned one would have said does not count any more.
		before := f.recommendation("prod/hangs")

		letGo()
		synctest.Wait()
		require.Same(t, before, f.recommendation("prod/hangs"))

		f.usage.set(nil)
		<-time.After(queue.Default().Backoff.Base)
		synctest.Wait()
		require.Nil(t, f.recommendation("prod/hangs").GetFailure())
	})
}

// Evaluations that were abandoned still hold memory and connections: there are never more of them than workers.
func TestTheNumberOfAbandonedEvaluationsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 1 })
		letGo := f.stubborn("prod/a", "prod/b")

		f.enqueue("prod/a", queue.Signal)
		f.enqueue("prod/b", queue.Signal)
		<-time.After(10 * time.Minute)
		synctest.Wait()

		_, abandoned := f.observer.overdue()
		require.Equal(t, 1, abandoned)
		require.Equal(t, 1, f.queue.Depth().Running, "the worker waits for the second")

		letGo()
		f.usage.set(nil)
		<-time.After(10 * time.Minute)
		synctest.Wait()
		require.Zero(t, f.queue.Depth())
	})
}

func TestAForgottenServiceIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.set(func(ctx context.Context, _ string) (usage.Snapshot, error) {
			<-ctx.Done()

			return usage.Snapshot{}, context.Cause(ctx)
		})
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		item, known := f.queue.Forget("prod/a")
		require.True(t, known)
		require.Equal(t, queue.Running, item.State)

		synctest.Wait()
		require.Zero(t, f.queue.Depth())
		require.Equal(t, map[string]int{Released: 1}, f.observer.outcomes())

		_, err := f.store.Get(t.Context(), "prod/a")
		require.Error(t, err, "nothing is written down")
	})
}

// An evaluation that cannot be cancelled must not keep the server from stopping either.
func TestAStopDoesNotWaitForWhatCannotBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 1 })
		letGo := f.stubborn("prod/a", "prod/b")

		f.enqueue("prod/a", queue.Signal)
		f.enqueue("prod/b", queue.Signal)
		<-time.After(10 * time.Minute)

		f.queue.Close()
		f.cancel()
		<-time.After(DefaultConfig().CancelGrace)
		synctest.Wait()
		require.Len(t, f.ended, 1, "one was abandoned, and the worker waited for the other")

		letGo()
	})
}
