package worker

import (
	"context"
	"fmt"
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

func TestAnEvaluationIsCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		before := time.Now()

		f.enqueue("prod/a", queue.Signal)
		synctest.Wait()

		got := f.recommendation("prod/a")
		require.True(t, proto.Equal(&tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: gibibyte, Replicas: 3}, got.GetAllocation()))
		require.True(t, proto.Equal(&tidemarkv1.Size{CpuMillis: 2000, MemoryBytes: gibibyte, Replicas: 3}, got.GetRecommended()))
		require.Equal(t, tidemarkv1.Direction_DIRECTION_UP, got.GetDirection())
		require.Equal(t, tidemarkv1.Status_STATUS_OK, got.GetStatus())
		require.Equal(t, tidemarkv1.Mode_MODE_ENFORCE, got.GetMode())
		require.Equal(t, []tidemarkv1.Reason{tidemarkv1.Reason_REASON_CPU_ABOVE_BAND}, got.GetReasons())
		require.Equal(t, "test", got.GetPolicy().GetName())
		require.Equal(t, "h1", got.GetPolicy().GetHash())
		require.Equal(t, "fake", got.GetExplanation().GetRecommender())
		require.Nil(t, got.GetFailure())
		require.Equal(t, before.UTC(), got.GetDataTime().AsTime())
		require.Equal(t, before.UTC(), got.GetEvaluateTime().AsTime())
		require.Equal(t, before.Add(DefaultConfig().Expiry).UTC(), got.GetExpireTime().AsTime())

		require.Len(t, got.GetTriggers(), 1)
		trigger := got.GetTriggers()[0]
		require.Equal(t, tidemarkv1.Trigger_TRIGGER_SIGNAL, trigger.GetTrigger())
		require.Equal(t, "test", trigger.GetSource())
		require.Equal(t, "rejections=3", trigger.GetDetail())
		require.EqualValues(t, 1, trigger.GetCount())
		require.Equal(t, before.UTC(), trigger.GetEnqueueTime().AsTime())

		require.Empty(t, f.waitingWork(), "the work is covered")
		require.Zero(t, f.queue.Depth(), "and out of the queue")
		require.Equal(t, map[string]int{Succeeded: 1}, f.observer.outcomes())
	})
}

// Work that comes while the evaluation runs is not covered by it: it is evaluated once more.
func TestWorkThatComesMeanwhileIsDoneOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		evaluations, goOn := make(chan string), make(chan struct{})

		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			evaluations <- service
			<-goOn

			return seen(service), nil
		})
		f.enqueue("prod/a", queue.Signal)
		<-evaluations

		second := f.enqueue("prod/a", queue.Signal)

		goOn <- struct{}{}

		<-evaluations
		require.Len(t, f.waitingWork(), 1)
		require.Equal(t, second, f.waitingWork()[0].Revision)

		goOn <- struct{}{}

		synctest.Wait()
		require.Empty(t, f.waitingWork())
		require.Equal(t, map[string]int{Succeeded: 2}, f.observer.outcomes())
	})
}

func TestTheNumberOfEvaluationsAtOnceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers, services = 3, 10

		f := start(t, func(c *Config) { c.Workers = workers })
		running, goOn := make(chan struct{}, services), make(chan struct{})

		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			running <- struct{}{}
			<-goOn

			return seen(service), nil
		})

		for i := range services {
			f.enqueue(fmt.Sprintf("prod/s%d", i), queue.Manual)
		}

		synctest.Wait()
		require.Len(t, running, workers)
		close(goOn)
		synctest.Wait()
		require.Equal(t, map[string]int{Succeeded: services}, f.observer.outcomes())
	})
}

// The same answer again renews the times and is no change; a different one is.
func TestOnlyAChangedValueGetsANewRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		evaluate := func() *tidemarkv1.Recommendation {
			f.enqueue("prod/a", queue.Manual)
			synctest.Wait()
			<-time.After(time.Minute)

			return f.recommendation("prod/a")
		}

		first := evaluate()
		again := evaluate()
		require.Equal(t, first.GetRevision(), again.GetRevision())
		require.Equal(t, time.Minute, again.GetEvaluateTime().AsTime().Sub(first.GetEvaluateTime().AsTime()))
		require.Equal(t, time.Minute, again.GetExpireTime().AsTime().Sub(first.GetExpireTime().AsTime()))

		f.recommender.need(3000)

		changed := evaluate()
		require.Greater(t, changed.GetRevision(), again.GetRevision())
		require.EqualValues(t, 3000, changed.GetRecommended().GetCpuMillis())
	})
}

func TestTheRecommenderGetsItsStateBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		inputs := make(chan recommender.Input, 10)
		given := recommender.State{Trend: recommender.Trend{
			Time: time.Now(), Small: allocated.Resources(), PrevTime: time.Now().Add(-time.Hour), PrevSmall: allocated.Resources(),
		}}

		f.recommender.set(func(in recommender.Input) recommender.Proposal {
			inputs <- in

			return recommender.Proposal{Need: in.Allocation.Resources(), State: given}
		})
		f.enqueue("prod/a", queue.Periodic)

		first := <-inputs
		require.Equal(t, "prod/a", first.Service)
		require.Equal(t, allocated, first.Allocation)
		require.Equal(t, testPolicy, first.Policy)
		require.True(t, first.Periodic)
		require.Equal(t, recommender.State{Scaling: recommender.Scaling{Allocation: allocated}}, first.State,
			"nothing is remembered; the size is that of now")
		synctest.Wait()

		f.enqueue("prod/a", queue.Signal)

		second := <-inputs
		require.False(t, second.Periodic)
		require.True(t, given.Trend.Time.Equal(second.State.Trend.Time) && given.Trend.PrevTime.Equal(second.State.Trend.PrevTime))
		require.Equal(t, given.Trend.Small, second.State.Trend.Small)
		require.Equal(t, given.Trend.PrevSmall, second.State.Trend.PrevSmall)
	})
}

// A state that this program cannot read must not keep the service from being evaluated for ever.
func TestAnUnreadableStateStartsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		_, err := f.store.Commit(t.Context(), store.Commit{
			Recommendation: &tidemarkv1.Recommendation{Service: "prod/a"}, State: []byte(`{"time": 7`), Changed: true,
		})
		require.NoError(t, err)

		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()
		require.EqualValues(t, 2000, f.recommendation("prod/a").GetRecommended().GetCpuMillis())
		require.Contains(t, f.log.String(), "starts anew")
	})
}

func TestAServiceWithoutAllocationHasNoSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			return usage.Snapshot{Service: service}, nil
		})
		f.enqueue("prod/a", queue.Manual)
		synctest.Wait()

		got := f.recommendation("prod/a")
		require.Equal(t, tidemarkv1.Status_STATUS_INSUFFICIENT_DATA, got.GetStatus())
		require.Equal(t, tidemarkv1.Direction_DIRECTION_NONE, got.GetDirection())
		require.Nil(t, got.GetAllocation())
		require.Nil(t, got.GetRecommended())
		require.Nil(t, got.GetDataTime())
		require.Equal(t, []tidemarkv1.Reason{tidemarkv1.Reason_REASON_NO_ALLOCATION}, got.GetReasons())
	})
}
