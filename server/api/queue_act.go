package api

import (
	"context"
	"fmt"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// RetryItem implements the RPC.
func (s *Queue) RetryItem(
	ctx context.Context, request *tidemarkv1.RetryItemRequest,
) (*tidemarkv1.RetryItemResponse, error) {
	item, exists := s.queue.RetryNow(request.GetService())
	if !exists {
		return nil, noItem(request.GetService())
	}

	s.logger.InfoContext(ctx, "retry was ordered", "service", item.Service, "state", item.State.String())

	return &tidemarkv1.RetryItemResponse{Item: queueItem(&item)}, nil
}

// CancelItem implements the RPC. The store comes first: when it fails, nothing has happened and the call can be repeated.
// Work that is accepted in between is cancelled with the rest.
func (s *Queue) CancelItem(
	ctx context.Context, request *tidemarkv1.CancelItemRequest,
) (*tidemarkv1.CancelItemResponse, error) {
	item, exists := s.queue.Item(request.GetService())
	if !exists {
		return nil, noItem(request.GetService())
	}

	if err := s.discard(ctx, item.Service, item.Revision); err != nil {
		return nil, err
	}

	// An item that has gone by itself in the meantime is not missed.
	if forgotten, there := s.queue.Forget(item.Service); there {
		discarded := item.Revision
		item = forgotten

		if item.Revision > discarded {
			if err := s.discard(ctx, item.Service, item.Revision); err != nil {
				return nil, err
			}
		}
	}

	s.logger.InfoContext(ctx, "cancellation was ordered", "service", item.Service, "state", item.State.String())

	return &tidemarkv1.CancelItemResponse{Item: queueItem(&item)}, nil
}

// discard makes sure that a restart does not bring cancelled work back.
func (s *Queue) discard(ctx context.Context, service string, upTo int64) error {
	if err := s.store.Discard(ctx, service, upTo); err != nil {
		return fmt.Errorf("discard the work of %s: %w", service, err)
	}

	return nil
}
