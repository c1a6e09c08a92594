package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

var errAway = errors.New("dial clickhouse: connection refused")

// While the usage store is away the sizes stay in force, the failure is there to see, and when the store is back the
// service recovers by itself.
func TestAFailureIsShownAndTheSizesStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()

		before := f.recommendation("prod/a")

		f.usage.fail(errAway)

		accepted := f.enqueue("prod/a", queue.Signal)
		failed := time.Now()

		synctest.Wait()

		got := f.recommendation("prod/a")
		require.Equal(t, "usage store: "+errAway.Error(), got.GetFailure().GetMessage())
		require.EqualValues(t, 1, got.GetFailure().GetAttempts())
		require.Equal(t, failed.UTC(), got.GetFailure().GetFailureTime().AsTime())
		require.Equal(t, failed.Add(queue.Default().Backoff.Base).UTC(), got.GetFailure().GetRetryTime().AsTime())

		got = proto.CloneOf(got)
		got.Failure = nil
		require.True(t, proto.Equal(before, got), "nothing else has changed, the revision included")

		require.Equal(t, accepted, f.waitingWork()[0].Revision, "the work is still owed")
		require.Equal(t, queue.Depth{BackingOff: 1}, f.queue.Depth())

		f.usage.set(nil)
		<-time.After(queue.Default().Backoff.Base)
		synctest.Wait()

		got = f.recommendation("prod/a")
		require.Nil(t, got.GetFailure())
		require.Equal(t, before.GetRevision(), got.GetRevision(), "it is the same answer as before the failure")
		require.Empty(t, f.waitingWork())
		require.Equal(t, map[string]int{Succeeded: 2, Retried: 1}, f.observer.outcomes())
	})
}

func TestAServiceThatNeverSucceededSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.fail(errAway)
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		first := f.recommendation("prod/a")
		require.Equal(t, tidemarkv1.Status_STATUS_FAILED, first.GetStatus())
		require.Equal(t, tidemarkv1.Mode_MODE_ENFORCE, first.GetMode())
		require.Equal(t, "test", first.GetPolicy().GetName())
		require.Nil(t, first.GetRecommended())
		require.Nil(t, first.GetEvaluateTime())
		require.Nil(t, first.GetExpireTime())
		require.NotZero(t, first.GetRevision())

		<-time.After(queue.Default().Backoff.Base)
		synctest.Wait()

		second := f.recommendation("prod/a")
		require.EqualValues(t, 2, second.GetFailure().GetAttempts())
		require.Equal(t, first.GetRevision(), second.GetRevision(), "failing again is nothing new")

		f.usage.set(nil)
		<-time.After(time.Minute)
		synctest.Wait()

		healed := f.recommendation("prod/a")
		require.Equal(t, tidemarkv1.Status_STATUS_OK, healed.GetStatus())
		require.Greater(t, healed.GetRevision(), first.GetRevision())
	})
}

func TestFailingTooOftenIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.recommender.set(func(recommender.Input) recommender.Proposal { panic("no size fits") })
		f.enqueue("prod/a", queue.Signal)
		<-time.After(time.Hour)
		synctest.Wait()

		limit := queue.Default().BackoffLimit
		require.Equal(t, map[string]int{Retried: limit}, f.observer.outcomes())

		failure := f.recommendation("prod/a").GetFailure()
		require.EqualValues(t, limit, failure.GetAttempts())
		require.Nil(t, failure.GetRetryTime(), "not by itself any more")
		require.Equal(t, queue.Depth{Failed: 1}, f.queue.Depth())
		require.Len(t, f.waitingWork(), 1, "what was accepted is not dropped")

		f.recommender.need(2000)
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()
		require.Nil(t, f.recommendation("prod/a").GetFailure())
		require.Empty(t, f.waitingWork())
	})
}

func TestAPermanentFailureIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.fail(PermanentError{Err: errors.New("no such column")})
		f.enqueue("prod/a", queue.Signal)
		<-time.After(time.Hour)
		synctest.Wait()

		require.Equal(t, map[string]int{Failed: 1}, f.observer.outcomes())

		failure := f.recommendation("prod/a").GetFailure()
		require.EqualValues(t, 1, failure.GetAttempts())
		require.Contains(t, failure.GetMessage(), "no such column")
		require.Nil(t, failure.GetRetryTime())
	})
}

// One service that makes the recommender panic must not stop the others, and what it panicked with is not published.
func TestAPanicIsAFailureOfThatService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 1 })
		f.recommender.set(func(in recommender.Input) recommender.Proposal {
			if in.Service == "prod/bad" {
				panic("secret at 0xdeadbeef")
			}

			return recommender.Proposal{Need: in.Allocation.Resources()}
		})
		f.enqueue("prod/bad", queue.Signal)
		f.enqueue("prod/good", queue.Signal)
		synctest.Wait()

		require.Equal(t, map[string]int{Retried: 1, Succeeded: 1}, f.observer.outcomes())
		require.Equal(t, tidemarkv1.Status_STATUS_OK, f.recommendation("prod/good").GetStatus())

		message := f.recommendation("prod/bad").GetFailure().GetMessage()
		require.NotContains(t, message, "0xdeadbeef")
		require.Contains(t, message, "panicked")
		require.Contains(t, f.log.String(), "secret at 0xdeadbeef")
		require.Contains(t, f.log.String(), "fail_test.go", "the stack")
	})
}

func TestAnEvaluationThatTakesTooLongFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.set(func(ctx context.Context, _ string) (usage.Snapshot, error) {
			<-ctx.Done()

			return usage.Snapshot{}, context.Cause(ctx)
		})
		f.enqueue("prod/a", queue.Signal)
		<-time.After(DefaultConfig().Timeout)
		synctest.Wait()

		require.Equal(t, map[string]int{Retried: 1}, f.observer.outcomes())
		require.Equal(t, DefaultConfig().Timeout, f.observer.took)
		require.Contains(t, f.recommendation("prod/a").GetFailure().GetMessage(), "took too long")

		cancelled, abandoned := f.observer.overdue()
		require.Equal(t, []int{1, 0}, []int{cancelled, abandoned})
	})
}

// Errors of other systems hold whatever they like; a message that is not UTF-8 could not be sent to anybody.
func TestWhatIsPublishedOfAnErrorIsShortText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.fail(errors.New("bad bytes \xff\xfe in " + strings.Repeat("ä", 5000)))
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		got := f.recommendation("prod/a")
		require.LessOrEqual(t, len(got.GetFailure().GetMessage()), maxFailureMessage)
		require.Contains(t, got.GetFailure().GetMessage(), "bad bytes  in ä")

		_, err := proto.Marshal(got)
		require.NoError(t, err)
	})
}

func TestAFailureThatCannotBeWrittenDownIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.store.set(func(*store.Memory, store.Commit) error { return errors.New("no leader") })
		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		require.Contains(t, f.log.String(), "failure cannot be written down")
		require.Equal(t, queue.Depth{BackingOff: 1}, f.queue.Depth())

		f.store.set(nil)
		<-time.After(queue.Default().Backoff.Base)
		synctest.Wait()
		require.Equal(t, tidemarkv1.Status_STATUS_OK, f.recommendation("prod/a").GetStatus())
	})
}

func ExamplePermanentError() {
	err := fmt.Errorf("read usage: %w", PermanentError{Err: errAway})

	fmt.Println(errors.Is(err, errAway), err)
	// Output: true read usage: dial clickhouse: connection refused
}
