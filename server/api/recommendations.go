// Package api holds the gRPC services, each thin: it turns a request into a call of the queue, the store, the hub or the
// inventory, and the result into a response. Errors become statuses elsewhere, in the funnel.
package api

import (
	"context"
	"time"

	"buf.build/go/protovalidate"
	lru "github.com/hashicorp/golang-lru/v2"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/inventory"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// rememberedRequests is how many request ids are remembered, so that a repeated request gets the first one's answer.
const rememberedRequests = 1 << 14

// Recommendations implements tidemark.v1.RecommendationService.
type Recommendations struct {
	tidemarkv1.UnsafeRecommendationServiceServer // a new method without an implementation must not compile

	queue     *queue.Queue
	store     store.Store
	hub       *watch.Hub
	inventory *inventory.Cache
	validator protovalidate.Validator
	answered  *lru.Cache[string, *tidemarkv1.EnqueueResponse]
}

var _ tidemarkv1.RecommendationServiceServer = (*Recommendations)(nil)

// NewRecommendations returns the service.
func NewRecommendations(
	q *queue.Queue, st store.Store, hub *watch.Hub, inv *inventory.Cache, validator protovalidate.Validator,
) *Recommendations {
	answered, err := lru.New[string, *tidemarkv1.EnqueueResponse](rememberedRequests)
	if err != nil {
		panic(err) // only for a size below one
	}

	return &Recommendations{queue: q, store: st, hub: hub, inventory: inv, validator: validator, answered: answered}
}

// WatchRecommendations implements the RPC.
func (r *Recommendations) WatchRecommendations(
	request *tidemarkv1.WatchRecommendationsRequest, stream tidemarkv1.RecommendationService_WatchRecommendationsServer,
) error {
	return r.hub.Stream(stream.Context(), request, stream.Send)
}

// revisionWait is how long a read waits for a revision when the caller set no nearer deadline.
const revisionWait = 5 * time.Second

// GetRecommendation implements the RPC.
func (r *Recommendations) GetRecommendation(
	ctx context.Context, request *tidemarkv1.GetRecommendationRequest,
) (*tidemarkv1.GetRecommendationResponse, error) {
	if request.GetMinRevision() > 0 {
		ctx, cancel := context.WithTimeout(ctx, revisionWait)
		defer cancel()

		if err := r.hub.WaitFor(ctx, request.GetMinRevision()); err != nil {
			return nil, err
		}
	}

	view := request.GetView()
	if view == tidemarkv1.View_VIEW_UNSPECIFIED {
		view = tidemarkv1.View_VIEW_FULL
	}

	recommendation, err := r.hub.Get(request.GetService(), view)
	if err != nil {
		return nil, err
	}

	return &tidemarkv1.GetRecommendationResponse{Recommendation: recommendation}, nil
}
