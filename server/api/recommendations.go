// Package api holds the gRPC services, each thin: it turns a request into a call of the queue, the store, the hub or the
// inventory, and the result into a response. Errors become statuses elsewhere, in the funnel.
package api

import (
	"context"
	"log/slog"
	"time"

	"buf.build/go/protovalidate"
	lru "github.com/hashicorp/golang-lru/v2"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/inventory"
	"github.com/tidemark-project/tidemark/server/observe"
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
	observed  *observe.Journal
	observer  Observer
	logger    *slog.Logger
	answered  *lru.Cache[string, *tidemarkv1.EnqueueResponse]
}

var _ tidemarkv1.RecommendationServiceServer = (*Recommendations)(nil)

// Backing is what stands behind the service.
type Backing struct {
	Queue     *queue.Queue
	Store     store.Store
	Hub       *watch.Hub
	Inventory *inventory.Cache
	// Validator checks the requests of a batch one by one.
	Validator protovalidate.Validator
	// Observed knows what was only looked at.
	Observed *observe.Journal
	Observer Observer
	// Logger is told what agents report and of services that are forgotten.
	Logger *slog.Logger
}

// Observer hears of what is not seen in the metrics of calls.
type Observer interface {
	// Reported is called when an agent has said what it did; outcome is "applied", "refused", "failed" or "deferred", and
	// outdated tells that it speaks of a revision that is not the current one.
	Reported(outcome string, outdated bool)
	// Forgotten is called when a service was deleted; gone tells that nobody ordered it.
	Forgotten(gone bool)
}

// NewRecommendations returns the service.
func NewRecommendations(b Backing) *Recommendations {
	answered, err := lru.New[string, *tidemarkv1.EnqueueResponse](rememberedRequests)
	if err != nil {
		panic(err) // only for a size below one
	}

	return &Recommendations{
		queue: b.Queue, store: b.Store, hub: b.Hub, inventory: b.Inventory, validator: b.Validator, observed: b.Observed,
		observer: b.Observer, logger: b.Logger, answered: answered,
	}
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

	return &tidemarkv1.GetRecommendationResponse{Recommendation: withFreshness(recommendation, time.Now())}, nil
}
