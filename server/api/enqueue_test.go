package api

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

const (
	queued   = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED
	merged   = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MERGED
	movedUp  = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MOVED_UP
	deferred = tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_DEFERRED

	periodic = tidemarkv1.Trigger_TRIGGER_PERIODIC
	signal   = tidemarkv1.Trigger_TRIGGER_SIGNAL
)

func TestWhatBecomesOfAWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		slack := queue.Default().Slack
		ask := func(trigger tidemarkv1.Trigger, want tidemarkv1.EnqueueOutcome) *tidemarkv1.EnqueueResponse {
			response := f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: trigger})
			require.Equal(t, want, response.GetOutcome())

			return response
		}
		due := func(r *tidemarkv1.EnqueueResponse) time.Duration { return time.Until(r.GetDueTime().AsTime()) }

		require.Equal(t, slack.Periodic, due(ask(periodic, queued)))
		require.Equal(t, slack.Periodic, due(ask(periodic, merged)))
		require.Equal(t, slack.Manual, due(ask(0, movedUp)), "without a trigger it is a person's wish")
		require.Equal(t, slack.Signal, due(ask(signal, movedUp)))
		require.Equal(t, slack.Signal, due(ask(periodic, merged)))

		lease := f.take()
		ask(signal, queued) // once more
		lease.Succeed()

		lease = f.take()
		again, _ := lease.Retry(errors.New("away"))

		response := ask(signal, deferred)
		require.Equal(t, again.UTC(), response.GetDueTime().AsTime())
		require.EqualValues(t, 1, response.GetAttempts())

		ask(tidemarkv1.Trigger_TRIGGER_MANUAL, movedUp)
	})
}

// Whatever a caller was told is taken lies in the store.
func TestWhatIsTakenIsWrittenDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		observed := time.Now().Add(-time.Minute)

		f.enqueue(&tidemarkv1.EnqueueRequest{
			Service: "prod/a", Trigger: signal, Source: "clickhouse", Detail: "memory_rejections=12",
			ObservedTime: timestamppb.New(observed),
		})

		written := f.work()["prod/a"]
		require.Equal(t, store.Work{
			Service: "prod/a", Trigger: signal, Source: "clickhouse", Detail: "memory_rejections=12",
			Observed: observed.UTC(), Accepted: written.Accepted, Revision: written.Revision,
		}, written)
		require.True(t, written.Accepted.Equal(time.Now()))

		lease := f.take()
		require.Equal(t, written.Revision, lease.Revision())
		first := lease.Triggers()[0]
		require.Equal(t, "memory_rejections=12", first.Detail)
		require.True(t, first.Observed.Equal(observed))
		lease.Succeed()

		// After a restart the queue is told the same.
		wish := QueueRequest(written)

		result, err := f.queue.Enqueue(&wish)
		require.NoError(t, err)
		require.Equal(t, queue.Queued, result.Outcome)

		again := f.take()
		require.Equal(t, written.Revision, again.Revision())
		require.Equal(t, first.Source, again.Triggers()[0].Source)
		require.Equal(t, first.Trigger, again.Triggers()[0].Trigger)
		again.Release()
	})
}

func TestValidateOnlyChangesNothing(t *testing.T) {
	f := start(t)
	id := uuid.NewString()

	for range 2 {
		response := f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", ValidateOnly: true, RequestId: id})
		require.Equal(t, queued, response.GetOutcome())
	}

	require.Empty(t, f.work())
	require.Zero(t, f.queue.Depth())

	require.Equal(t, queued, f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", RequestId: id}).GetOutcome())
	require.Len(t, f.work(), 1)
}

func TestARepeatedRequestIsAnsweredLikeTheFirst(t *testing.T) {
	f := start(t)
	request := &tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: periodic, RequestId: uuid.NewString()}
	first := f.enqueue(request)

	f.take().Succeed()

	require.True(t, proto.Equal(first, f.enqueue(request)))
	require.Zero(t, f.queue.Depth(), "and nothing more is done")

	other := f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/b", RequestId: request.GetRequestId()})
	require.Equal(t, "prod/b", other.GetService(), "an id that was used for another service is not believed")

	require.Equal(t, queued, f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"}).GetOutcome())
	require.Equal(t, merged, f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"}).GetOutcome(), "no id is no repeat")
}

func TestAFullQueueRefuses(t *testing.T) {
	f := start(t, func(c *queue.Config) { c.MaxItems = 1 })

	f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal})

	_, err := f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/b", Trigger: signal})
	st := requireStatus(t, err, codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL)

	retry, is := st.Details()[1].(*errdetails.RetryInfo)
	require.True(t, is)
	require.Equal(t, queue.Default().RetryAfter, retry.GetRetryDelay().AsDuration())
	require.NotContains(t, f.work(), "prod/b", "what is refused is not written down")

	require.Equal(t, merged, f.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal}).GetOutcome())
}

func TestAStoppingServerRefuses(t *testing.T) {
	f := start(t)
	f.queue.Close()

	for _, only := range []bool{false, true} {
		_, err := f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/a", ValidateOnly: only})
		requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)
	}

	require.Empty(t, f.work())
}

func TestWhatCannotBeWrittenDownIsNotTaken(t *testing.T) {
	f := start(t)
	f.store = closedStore{f.memory}

	_, err := f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/a"})
	requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)

	_, err = f.BatchEnqueue(t.Context(), &tidemarkv1.BatchEnqueueRequest{
		Requests: []*tidemarkv1.EnqueueRequest{{Service: "prod/a"}},
	})
	requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)
	require.Zero(t, f.queue.Depth())
}
