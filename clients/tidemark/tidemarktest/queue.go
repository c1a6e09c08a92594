package tidemarktest

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// queueState is what the server says of its queue. It is not connected with what is enqueued.
type queueState struct {
	status *tidemarkv1.GetQueueStatusResponse
	items  []*tidemarkv1.QueueItem
	pauses []*tidemarkv1.Pause
}

// SetQueueStatus sets what the queue's status is, but for the pauses, which are those that were ordered by PauseQueue.
func (s *Server) SetQueueStatus(status *tidemarkv1.GetQueueStatusResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.queue.status = status
}

// SetQueueItems sets the queue's items, in the order in which they are listed.
func (s *Server) SetQueueItems(items ...*tidemarkv1.QueueItem) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.queue.items = slices.Clone(items)
}

// QueueItems returns the queue's items.
func (s *Server) QueueItems() []*tidemarkv1.QueueItem {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.state.queue.items)
}

// queueService is the server's other service.
type queueService struct {
	tidemarkv1.UnimplementedQueueServiceServer

	server *Server
}

// call begins a call: it returns the queue, locked until the returned function is called, or the error that a test ordered.
func (q queueService) call(method string) (*queueState, func(), error) {
	if err := q.server.fail(method); err != nil {
		return nil, nil, err
	}

	q.server.mu.Lock()

	return &q.server.state.queue, q.server.mu.Unlock, nil
}

// GetQueueStatus implements the API. The tenant makes no difference.
func (q queueService) GetQueueStatus(
	context.Context, *tidemarkv1.GetQueueStatusRequest,
) (*tidemarkv1.GetQueueStatusResponse, error) {
	state, unlock, err := q.call("GetQueueStatus")
	if err != nil {
		return nil, err
	}
	defer unlock()

	status := &tidemarkv1.GetQueueStatusResponse{}
	proto.Merge(status, state.status)
	status.Pauses = slices.Clone(state.pauses)

	return status, nil
}

// ListQueueItems implements the API.
func (q queueService) ListQueueItems(
	_ context.Context, request *tidemarkv1.ListQueueItemsRequest,
) (*tidemarkv1.ListQueueItemsResponse, error) {
	state, unlock, err := q.call("ListQueueItems")
	if err != nil {
		return nil, err
	}
	defer unlock()

	from, size := 0, int(request.GetPageSize())
	if token := request.GetPageToken(); token != "" {
		if from, err = strconv.Atoi(token); err != nil {
			return nil, Error(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN, "page_token is wrong")
		}
	}

	if size <= 0 {
		size = defaultPage
	}

	selected := slices.DeleteFunc(slices.Clone(state.items), func(item *tidemarkv1.QueueItem) bool {
		return len(request.GetStates()) > 0 && !slices.Contains(request.GetStates(), item.GetState()) ||
			request.GetTenant() != "" && !strings.HasPrefix(item.GetService(), request.GetTenant()+"/")
	})
	page := selected[min(from, len(selected)):]

	if len(page) <= size {
		return &tidemarkv1.ListQueueItemsResponse{Items: page}, nil
	}

	return &tidemarkv1.ListQueueItemsResponse{Items: page[:size], NextPageToken: strconv.Itoa(from + size)}, nil
}

// RetryItem implements the API.
func (q queueService) RetryItem(
	_ context.Context, request *tidemarkv1.RetryItemRequest,
) (*tidemarkv1.RetryItemResponse, error) {
	state, unlock, err := q.call("RetryItem")
	if err != nil {
		return nil, err
	}
	defer unlock()

	i, err := state.find(request.GetService())
	if err != nil {
		return nil, err
	}

	item := proto.CloneOf(state.items[i])
	state.items[i] = item

	if item.GetState() != tidemarkv1.ItemState_ITEM_STATE_RUNNING {
		item.State, item.Attempts, item.LastError = tidemarkv1.ItemState_ITEM_STATE_WAITING, 0, ""
		item.DueTime = timestamppb.Now()
	}

	return &tidemarkv1.RetryItemResponse{Item: item}, nil
}

// CancelItem implements the API.
func (q queueService) CancelItem(
	_ context.Context, request *tidemarkv1.CancelItemRequest,
) (*tidemarkv1.CancelItemResponse, error) {
	state, unlock, err := q.call("CancelItem")
	if err != nil {
		return nil, err
	}
	defer unlock()

	i, err := state.find(request.GetService())
	if err != nil {
		return nil, err
	}

	item := state.items[i]
	state.items = slices.Delete(state.items, i, i+1)

	return &tidemarkv1.CancelItemResponse{Item: item}, nil
}

// find returns the place of a service's item.
func (s *queueState) find(service string) (int, error) {
	i := slices.IndexFunc(s.items, func(item *tidemarkv1.QueueItem) bool { return item.GetService() == service })
	if i >= 0 {
		return i, nil
	}

	return 0, Error(codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND,
		"there is no item for service "+service+" in the queue", &errdetails.ResourceInfo{ResourceName: service})
}

// PauseQueue implements the API. The pause stops nothing here.
func (q queueService) PauseQueue(
	_ context.Context, request *tidemarkv1.PauseQueueRequest,
) (*tidemarkv1.PauseQueueResponse, error) {
	state, unlock, err := q.call("PauseQueue")
	if err != nil {
		return nil, err
	}
	defer unlock()

	state.resume(request.GetScope())

	pause := &tidemarkv1.Pause{
		Scope: request.GetScope(), Author: request.GetAuthor(), Reason: request.GetReason(),
		PauseTime: timestamppb.Now(), ExpireTime: request.GetExpireTime(),
	}
	state.pauses = append(state.pauses, pause)

	return &tidemarkv1.PauseQueueResponse{Pause: pause}, nil
}

// ResumeQueue implements the API.
func (q queueService) ResumeQueue(
	_ context.Context, request *tidemarkv1.ResumeQueueRequest,
) (*tidemarkv1.ResumeQueueResponse, error) {
	state, unlock, err := q.call("ResumeQueue")
	if err != nil {
		return nil, err
	}
	defer unlock()

	return &tidemarkv1.ResumeQueueResponse{Pause: state.resume(request.GetScope())}, nil
}

// resume takes the pause of a scope away and returns it; nil when there is none.
func (s *queueState) resume(scope tidemarkv1.PauseScope) *tidemarkv1.Pause {
	for i, pause := range s.pauses {
		if pause.GetScope() == scope {
			s.pauses = slices.Delete(slices.Clone(s.pauses), i, i+1)

			return pause
		}
	}

	return nil
}
