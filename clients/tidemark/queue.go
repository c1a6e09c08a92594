package tidemark

import (
	"context"
	"fmt"
	"iter"

	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Queue returns the generated client of the service that shows and steers the queue, on the same connection.
func (c *Client) Queue() tidemarkv1.QueueServiceClient {
	return tidemarkv1.NewQueueServiceClient(c.conn)
}

// QueueItems yields the queue's items that the request selects, the ones due first first, and fetches page after page like
// List. Items move meanwhile: one that is put off may be yielded twice, one that is moved up not at all.
func (c *Client) QueueItems(
	ctx context.Context, request *tidemarkv1.ListQueueItemsRequest,
) iter.Seq2[*tidemarkv1.QueueItem, error] {
	queue := c.Queue()

	return pages(request.GetPageToken(), func(token string) ([]*tidemarkv1.QueueItem, string, error) {
		page := &tidemarkv1.ListQueueItemsRequest{}
		proto.Merge(page, request)
		page.PageToken = token

		response, err := queue.ListQueueItems(ctx, page)
		if err != nil {
			return nil, "", fmt.Errorf("list the items of the queue: %w", err)
		}

		return response.GetItems(), response.GetNextPageToken(), nil
	})
}
