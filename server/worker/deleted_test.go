package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// forget deletes the service as the API does, but for telling the evaluation that runs if told is false.
func (f *fixture) forget(service string, told bool) {
	f.Helper()

	_, err := f.store.Delete(f.Context(), service)
	require.NoError(f, err)

	if told {
		_, queued := f.queue.Forget(service)
		require.True(f, queued)
	}
}

// A service that is deleted while it is evaluated stays deleted: whether it had a record or not, and whether the
// evaluation hears of it or not.
func TestAnEvaluationDoesNotBringADeletedServiceBack(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		for _, told := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				if recorded {
					f.evaluate("prod/a", queue.Manual)
				}

				// It does not heed its cancellation in time.
				f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
					<-time.After(time.Second)

					return seen(service), nil
				})
				f.enqueue("prod/a", queue.Manual)
				synctest.Wait()
				f.forget("prod/a", told)
				<-time.After(time.Minute)

				_, err := f.store.Get(t.Context(), "prod/a")
				require.ErrorIs(t, err, store.ErrNotFound)
				require.Zero(t, f.queue.Depth())
				require.Empty(t, f.waitingWork())

				// It may come back.
				f.enqueue("prod/a", queue.Manual)
				<-time.After(time.Minute)
				require.NotNil(t, f.recommendation("prod/a").GetRecommended())
			})
		}
	}
}

// Neither does the failure of its evaluation.
func TestAFailureDoesNotBringADeletedServiceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.set(func(context.Context, string) (usage.Snapshot, error) {
			f.forget("prod/a", false)

			return usage.Snapshot{}, PermanentError{errAway}
		})
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()

		_, err := f.store.Get(t.Context(), "prod/a")
		require.ErrorIs(t, err, store.ErrNotFound)
		require.NotContains(t, f.log.String(), "cannot be written down")
	})
}
