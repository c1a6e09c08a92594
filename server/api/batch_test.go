package api

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// closedStore takes nothing in.
type closedStore struct{ *store.Memory }

func (closedStore) Accept(context.Context, []store.Work) (int64, error) { return 0, store.ErrClosed }

// countingStore counts the writes.
type countingStore struct {
	*store.Memory

	accepts int
}

func (s *countingStore) Accept(ctx context.Context, work []store.Work) (int64, error) {
	s.accepts++

	return s.Memory.Accept(ctx, work)
}

func batchOf(requests ...*tidemarkv1.EnqueueRequest) *tidemarkv1.BatchEnqueueRequest {
	return &tidemarkv1.BatchEnqueueRequest{Requests: requests}
}

// Each wish of a batch is answered by itself, in its place, whatever becomes of the others.
func TestABatchAnswersEachWish(t *testing.T) {
	f := start(t, func(c *queue.Config) { c.MaxItems = 40 })
	repeated := &tidemarkv1.EnqueueRequest{Service: "prod/known", RequestId: uuid.NewString()}
	known := f.enqueue(repeated)

	f.take().Succeed()

	for i := range 36 { // the last tenth is closed to the sweep
		f.enqueue(&tidemarkv1.EnqueueRequest{Service: fmt.Sprintf("prod/s%d", i), Trigger: signal})
	}

	batch, err := f.BatchEnqueue(t.Context(), batchOf(
		&tidemarkv1.EnqueueRequest{Service: "not a key"},
		&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal},
		&tidemarkv1.EnqueueRequest{Service: "prod/b", Trigger: periodic},
		&tidemarkv1.EnqueueRequest{Service: "prod/only", Trigger: signal, ValidateOnly: true},
		repeated,
		&tidemarkv1.EnqueueRequest{Service: "prod/s1", Trigger: periodic},
		&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal, RequestId: "no uuid"},
		&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal},
	))
	require.NoError(t, err)

	results := batch.GetResults()
	require.Len(t, results, 8)

	invalid := checkStatus(t, status.FromProto(results[0].GetError()), codes.InvalidArgument,
		tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
	bad, is := invalid.Details()[1].(*errdetails.BadRequest)
	require.True(t, is)
	require.Equal(t, "service", bad.GetFieldViolations()[0].GetField())

	require.Equal(t, queued, results[1].GetResponse().GetOutcome())
	checkStatus(t, status.FromProto(results[2].GetError()), codes.ResourceExhausted,
		tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL)
	require.Equal(t, queued, results[3].GetResponse().GetOutcome())
	require.True(t, proto.Equal(known, results[4].GetResponse()))
	require.Equal(t, merged, results[5].GetResponse().GetOutcome())
	checkStatus(t, status.FromProto(results[6].GetError()), codes.InvalidArgument,
		tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
	require.Equal(t, merged, results[7].GetResponse().GetOutcome(), "twice in one batch is once in the queue")

	require.Contains(t, f.work(), "prod/a")
	require.NotContains(t, f.work(), "prod/b")
	require.NotContains(t, f.work(), "prod/only")
}

func TestABatchIsOneWrite(t *testing.T) {
	f := start(t)
	counting := &countingStore{Memory: f.memory}
	f.store = counting

	const services = 10_000

	batch := batchOf()
	for i := range services {
		batch.Requests = append(batch.Requests, &tidemarkv1.EnqueueRequest{Service: fmt.Sprintf("prod/s%d", i)})
	}

	answer, err := f.BatchEnqueue(t.Context(), batch)
	require.NoError(t, err)
	require.Len(t, answer.GetResults(), services)
	require.Equal(t, 1, counting.accepts)
	require.Equal(t, services, f.queue.Depth().Waiting)
}

func TestABatchOfNothingValidWritesNothing(t *testing.T) {
	f := start(t)
	counting := &countingStore{Memory: f.memory}
	f.store = counting

	answer, err := f.BatchEnqueue(t.Context(), batchOf(
		&tidemarkv1.EnqueueRequest{Service: "not a key"},
		&tidemarkv1.EnqueueRequest{Service: "prod/a", ValidateOnly: true},
	))
	require.NoError(t, err)
	require.NotNil(t, answer.GetResults()[0].GetError())
	require.NotNil(t, answer.GetResults()[1].GetResponse())
	require.Zero(t, counting.accepts)
}

// The tables that turn enums of the API into the queue's and back must not fall behind the published ones.
func TestEveryTriggerAndOutcomeIsMapped(t *testing.T) {
	require.Len(t, triggers, len(tidemarkv1.Trigger_name))
	require.Len(t, outcomes, len(tidemarkv1.EnqueueOutcome_name)-1)

	for published, ours := range triggers {
		if published != tidemarkv1.Trigger_TRIGGER_UNSPECIFIED {
			require.Equal(t, published.String(), "TRIGGER_"+upper(ours))
		}
	}

	for ours, published := range outcomes {
		require.Equal(t, published.String(), "ENQUEUE_OUTCOME_"+upper(ours))
	}
}

// What the queue has no room for is not accepted: the store would bring it back after a restart.
func TestABatchThatDoesNotFit(t *testing.T) {
	const room, size = 9, 20 // a tenth is closed to the sweep

	f := start(t, func(c *queue.Config) { c.MaxItems = 10 })
	batch := &tidemarkv1.BatchEnqueueRequest{}

	for i := range size {
		batch.Requests = append(batch.Requests, &tidemarkv1.EnqueueRequest{
			Service: fmt.Sprintf("prod/%d", i), Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC,
		})
	}

	response, err := f.BatchEnqueue(t.Context(), batch)
	require.NoError(t, err)

	for i, result := range response.GetResults() {
		require.Equal(t, i >= room, result.GetError() != nil, "%d: %v", i, result)
	}

	work, err := f.memory.Work(t.Context())
	require.NoError(t, err)
	require.Len(t, work, room)
	require.Equal(t, room, f.queue.Depth().Waiting)
}
