package api

import (
	"context"
	"encoding/binary"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
)

// queueItemsPage and queueItemsMaxPage are the usual and the largest size of a page of items.
const queueItemsPage, queueItemsMaxPage = 100, 1000

// ListQueueItems implements the RPC.
func (s *Queue) ListQueueItems(
	_ context.Context, request *tidemarkv1.ListQueueItemsRequest,
) (*tidemarkv1.ListQueueItemsResponse, error) {
	key := s.lineage ^ listKey(&tidemarkv1.ListQueueItemsRequest{States: request.GetStates(), Tenant: request.GetTenant()})

	after, err := decodePosition(request.GetPageToken(), key)
	if err != nil {
		return nil, err
	}

	filter := queue.Filter{Tenant: request.GetTenant()}
	for _, state := range request.GetStates() {
		filter.States = append(filter.States, statesByName[state])
	}

	page := s.queue.List(filter, after, pageSize(request.GetPageSize(), queueItemsPage, queueItemsMaxPage))
	response := &tidemarkv1.ListQueueItemsResponse{}

	for i := range page.Items {
		response.Items = append(response.Items, queueItem(&page.Items[i]))
	}

	if page.More {
		response.NextPageToken = encodePosition(page.Next, key)
	}

	return response, nil
}

// encodePosition makes the opaque token for "go on behind this place".
func encodePosition(p queue.Position, key uint64) string {
	due := binary.BigEndian.AppendUint64(nil, uint64(p.Due)) //nolint:gosec // all bits of it

	return encodePageToken(string(due)+p.Service, key)
}

// decodePosition is the inverse of encodePosition; an empty token is the start of the list.
func decodePosition(token string, key uint64) (queue.Position, error) {
	place, err := decodePageToken(token, key)
	if err != nil || token == "" {
		return queue.Position{}, err
	}

	const dueLength = 8
	if len(place) < dueLength {
		return queue.Position{}, invalidPageToken()
	}

	due := binary.BigEndian.Uint64([]byte(place))

	return queue.Position{Due: int64(due), Service: place[dueLength:]}, nil //nolint:gosec // all bits of it
}

// itemStates maps the queue's states to the API's, and statesByName back.
var (
	itemStates = map[queue.State]tidemarkv1.ItemState{
		queue.Waiting:    tidemarkv1.ItemState_ITEM_STATE_WAITING,
		queue.Running:    tidemarkv1.ItemState_ITEM_STATE_RUNNING,
		queue.BackingOff: tidemarkv1.ItemState_ITEM_STATE_BACKING_OFF,
		queue.Failed:     tidemarkv1.ItemState_ITEM_STATE_FAILED,
	}
	statesByName = inverse(itemStates)
)

func inverse[K, V comparable](table map[K]V) map[V]K {
	back := make(map[V]K, len(table))
	for key, value := range table {
		back[value] = key
	}

	return back
}

func queueItem(i *queue.Item) *tidemarkv1.QueueItem {
	item := &tidemarkv1.QueueItem{
		Service:     i.Service,
		State:       itemStates[i.State],
		DueTime:     apivalue.TimeOrNone(i.Due),
		EnqueueTime: apivalue.TimeOrNone(i.Enqueued),
		StartTime:   apivalue.TimeOrNone(i.Started),
		Attempts:    apivalue.Count(i.Attempts),
		LastError:   i.LastError,
	}

	for _, r := range i.Triggers {
		item.Triggers = append(item.Triggers, apivalue.TriggerRecord(r))
	}

	return item
}
