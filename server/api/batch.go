package api

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
)

// BatchEnqueue implements the RPC. All that is valid is accepted in one write.
func (r *Recommendations) BatchEnqueue(
	ctx context.Context, request *tidemarkv1.BatchEnqueueRequest,
) (*tidemarkv1.BatchEnqueueResponse, error) {
	wishes := request.GetRequests()
	answers := newAnswers(len(wishes))
	work := make([]store.Work, 0, len(wishes))
	accepted := make([]int, 0, len(wishes))

	room := r.queue.Room()
	defer room.Close()

	open := room.TryAll(serious(wishes))

	for i, one := range wishes {
		if r.settle(one, answers, i) {
			continue
		}

		if !open {
			wish := queueRequest(one, 0)
			if err := room.Admit(&wish); err != nil {
				answers.refuse(i, err)

				continue
			}
		}

		work = append(work, acceptedWork(one))
		accepted = append(accepted, i)
	}

	if len(work) == 0 {
		return answers.response(), nil
	}

	revision, err := r.store.Accept(ctx, work)
	if err != nil {
		return nil, fmt.Errorf("accept work for %d services: %w", len(work), err)
	}

	for _, i := range accepted {
		r.enqueueInto(wishes[i], revision, answers, i)
	}

	return answers.response(), nil
}

// serious returns how many requests are not only to be validated.
func serious(requests []*tidemarkv1.EnqueueRequest) int {
	count := 0

	for _, one := range requests {
		if !one.GetValidateOnly() {
			count++
		}
	}

	return count
}

// settle answers a request of a batch that is not to be accepted: invalid, repeated, or only to be validated. It reports
// whether it did.
func (r *Recommendations) settle(request *tidemarkv1.EnqueueRequest, answers *answers, i int) bool {
	if !plainlyValid(request) {
		if err := r.validator.Validate(request); err != nil {
			answers.refuse(i, err)

			return true
		}
	}

	if answer, repeated := r.answer(request); repeated {
		answers.repeat(i, answer)

		return true
	}

	if !request.GetValidateOnly() {
		return false
	}

	wish := queueRequest(request, 0)

	preview, err := r.queue.Preview(&wish)
	if err != nil {
		answers.refuse(i, err)
	} else {
		answers.take(i, request, preview)
	}

	return true
}

// enqueueInto puts work of a batch that the store holds into the queue.
func (r *Recommendations) enqueueInto(request *tidemarkv1.EnqueueRequest, revision int64, answers *answers, i int) {
	wish := queueRequest(request, revision)

	result, err := r.queue.Enqueue(&wish)
	if err != nil {
		answers.refuse(i, err)

		return
	}

	response := answers.take(i, request, result)
	if id := request.GetRequestId(); id != "" {
		r.answered.Add(id, proto.CloneOf(response)) // not the whole batch
	}
}

// answers are the answers to a batch. Those that are taken, which nearly all are, lie in one piece of memory: for each one
// of the messages of its own there would be four.
type answers struct {
	results []*tidemarkv1.EnqueueResult
	taken   []takenAnswer
}

type takenAnswer struct {
	result   tidemarkv1.EnqueueResult
	choice   tidemarkv1.EnqueueResult_Response
	response tidemarkv1.EnqueueResponse
	due      timestamppb.Timestamp
}

func newAnswers(n int) *answers {
	return &answers{results: make([]*tidemarkv1.EnqueueResult, n), taken: make([]takenAnswer, n)}
}

// take answers that a request was taken, or would be.
func (a *answers) take(i int, request *tidemarkv1.EnqueueRequest, result queue.Result) *tidemarkv1.EnqueueResponse {
	at := &a.taken[i]
	at.response.Service = request.GetService()
	at.response.Outcome = outcomes[result.Outcome]
	at.response.Attempts = apivalue.Count(result.Attempts)
	at.response.DueTime = &at.due
	at.due.Seconds, at.due.Nanos = result.Due.Unix(), int32(result.Due.Nanosecond()) //nolint:gosec // below a second
	at.choice.Response = &at.response
	at.result.Result = &at.choice
	a.results[i] = &at.result

	return &at.response
}

// repeat answers like the first of several requests that are the same.
func (a *answers) repeat(i int, first *tidemarkv1.EnqueueResponse) {
	a.results[i] = &tidemarkv1.EnqueueResult{Result: &tidemarkv1.EnqueueResult_Response{Response: first}}
}

// refuse answers that a request was not taken.
func (a *answers) refuse(i int, err error) {
	visible, _ := rpcerror.From(err)
	a.results[i] = &tidemarkv1.EnqueueResult{Result: &tidemarkv1.EnqueueResult_Error{Error: visible.GRPCStatus().Proto()}}
}

func (a *answers) response() *tidemarkv1.BatchEnqueueResponse {
	return &tidemarkv1.BatchEnqueueResponse{Results: a.results}
}
