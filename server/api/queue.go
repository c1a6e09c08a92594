package api

import (
	"log/slog"
	"math/rand/v2"

	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
)

// Queue implements tidemark.v1.QueueService.
type Queue struct {
	tidemarkv1.UnsafeQueueServiceServer // a new method without an implementation must not compile

	queue  *queue.Queue
	store  store.Store
	logger *slog.Logger
	// lineage tells page tokens of this queue from those of another: places in one mean nothing in the other.
	lineage uint64
}

var _ tidemarkv1.QueueServiceServer = (*Queue)(nil)

// NewQueue returns the service. What operators order is logged.
func NewQueue(q *queue.Queue, st store.Store, logger *slog.Logger) *Queue {
	return &Queue{queue: q, store: st, logger: logger, lineage: rand.Uint64()}
}

// noItem says that the queue knows nothing of a service.
func noItem(service string) error {
	return rpcerror.New(codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND,
		"there is no item for service "+service+" in the queue").About(service)
}
