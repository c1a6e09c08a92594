package api

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
)

const usageStore = "usage store"

// operated is the queue's service beside the one that fills the queue.
type operated struct {
	*fixture

	operators *Queue
}

func startOperated(t *testing.T, change ...func(*queue.Config)) *operated {
	t.Helper()

	f := start(t, append(change, func(c *queue.Config) { c.Breaker.Dependencies = []string{usageStore} })...)

	return &operated{fixture: f, operators: NewQueue(f.queue, f.store, slog.New(slog.DiscardHandler))}
}

func (o *operated) status(tenant string) *tidemarkv1.GetQueueStatusResponse {
	o.Helper()

	status, err := o.operators.GetQueueStatus(o.Context(), &tidemarkv1.GetQueueStatusRequest{Tenant: tenant})
	require.NoError(o, err)

	return status
}

// items reads all pages of a list.
func (o *operated) items(request *tidemarkv1.ListQueueItemsRequest) []*tidemarkv1.QueueItem {
	o.Helper()

	var items []*tidemarkv1.QueueItem

	for {
		page, err := o.operators.ListQueueItems(o.Context(), request)
		require.NoError(o, err)

		items = append(items, page.GetItems()...)

		if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
			return items
		}

		require.Len(o, page.GetItems(), int(request.GetPageSize()), "only the last page is short")
	}
}

func (o *operated) cancel(service string) *tidemarkv1.QueueItem {
	o.Helper()

	response, err := o.operators.CancelItem(o.Context(), &tidemarkv1.CancelItemRequest{Service: service})
	require.NoError(o, err)

	return response.GetItem()
}

func (o *operated) retry(service string) *tidemarkv1.QueueItem {
	o.Helper()

	response, err := o.operators.RetryItem(o.Context(), &tidemarkv1.RetryItemRequest{Service: service})
	require.NoError(o, err)

	return response.GetItem()
}
