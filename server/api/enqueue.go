package api

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// Enqueue implements the RPC.
func (r *Recommendations) Enqueue(
	ctx context.Context, request *tidemarkv1.EnqueueRequest,
) (*tidemarkv1.EnqueueResponse, error) {
	if answer, repeated := r.answer(request); repeated {
		return answer, nil
	}

	wish := queueRequest(request, 0)

	if request.GetValidateOnly() {
		preview, err := r.queue.Preview(&wish)
		if err != nil {
			return nil, err
		}

		return enqueueResponse(request, preview), nil
	}

	room := r.queue.Room()
	defer room.Close()

	if err := room.Admit(&wish); err != nil {
		return nil, err
	}

	revision, err := r.store.Accept(ctx, []store.Work{acceptedWork(request)})
	if err != nil {
		return nil, fmt.Errorf("accept work for %s: %w", request.GetService(), err)
	}

	return r.enqueueAccepted(request, revision)
}

// enqueueAccepted puts work that the store holds into the queue.
func (r *Recommendations) enqueueAccepted(
	request *tidemarkv1.EnqueueRequest, revision int64,
) (*tidemarkv1.EnqueueResponse, error) {
	wish := queueRequest(request, revision)

	result, err := r.queue.Enqueue(&wish)
	if err != nil {
		return nil, err
	}

	response := enqueueResponse(request, result)
	if id := request.GetRequestId(); id != "" {
		r.answered.Add(id, proto.CloneOf(response))
	}

	return response, nil
}

// answer returns what a request with the same id was answered.
func (r *Recommendations) answer(request *tidemarkv1.EnqueueRequest) (*tidemarkv1.EnqueueResponse, bool) {
	id := request.GetRequestId()
	if id == "" {
		return nil, false
	}

	answer, known := r.answered.Get(id)

	return answer, known && answer.GetService() == request.GetService()
}

// triggers maps the API's triggers to the queue's.
var triggers = map[tidemarkv1.Trigger]queue.Trigger{
	tidemarkv1.Trigger_TRIGGER_UNSPECIFIED: queue.Manual,
	tidemarkv1.Trigger_TRIGGER_MANUAL:      queue.Manual,
	tidemarkv1.Trigger_TRIGGER_PERIODIC:    queue.Periodic,
	tidemarkv1.Trigger_TRIGGER_SIGNAL:      queue.Signal,
}

// outcomes maps the queue's outcomes to the API's.
var outcomes = map[queue.Outcome]tidemarkv1.EnqueueOutcome{
	queue.Queued:   tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED,
	queue.Merged:   tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MERGED,
	queue.MovedUp:  tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MOVED_UP,
	queue.Deferred: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_DEFERRED,
}

// queueRequest turns a request into a wish; the revision is that under which the store accepted it, 0 before.
func queueRequest(request *tidemarkv1.EnqueueRequest, revision int64) queue.Request {
	return queue.Request{
		Service:  request.GetService(),
		Trigger:  triggers[request.GetTrigger()],
		Source:   request.GetSource(),
		Detail:   request.GetDetail(),
		Observed: observed(request),
		Accepted: revision > 0,
		Revision: revision,
	}
}

// QueueRequest turns accepted work back into a wish, after a restart.
func QueueRequest(w store.Work) queue.Request {
	return queue.Request{
		Service:  w.Service,
		Trigger:  triggers[w.Trigger],
		Source:   w.Source,
		Detail:   w.Detail,
		Observed: w.Observed,
		Revision: w.Revision,
	}
}

// acceptedWork is what the store remembers of a request.
func acceptedWork(request *tidemarkv1.EnqueueRequest) store.Work {
	return store.Work{
		Service:  request.GetService(),
		Trigger:  request.GetTrigger(),
		Source:   request.GetSource(),
		Detail:   request.GetDetail(),
		Observed: observed(request),
		Accepted: time.Now(),
	}
}

func observed(request *tidemarkv1.EnqueueRequest) time.Time {
	if request.GetObservedTime() == nil {
		return time.Now()
	}

	return request.GetObservedTime().AsTime()
}

func enqueueResponse(request *tidemarkv1.EnqueueRequest, result queue.Result) *tidemarkv1.EnqueueResponse {
	return &tidemarkv1.EnqueueResponse{
		Service:  request.GetService(),
		Outcome:  outcomes[result.Outcome],
		DueTime:  timestamppb.New(result.Due),
		Attempts: apivalue.Count(result.Attempts),
	}
}
