package agent

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// renewTimeout bounds one question for a newer value.
	renewTimeout = 10 * time.Second
	// renewEvery is how often an outdated value is asked for, varied by half.
	renewEvery = 5 * time.Minute
)

// Reader tells the present recommendation of a service. The API's Go client is one.
type Reader interface {
	// Get returns the recommendation; NOT_FOUND when there is none.
	Get(ctx context.Context, request *tidemarkv1.GetRecommendationRequest) (*tidemarkv1.Recommendation, error)
}

// renew finds out whether a recommendation that has become outdated still holds. The watch tells of a renewal, but not at
// once; and not while it is cut off.
func (a *Agent) renew(ctx context.Context, logger *slog.Logger, held *tidemarkv1.Recommendation, why string) {
	if a.config.Reader == nil {
		a.defers(ctx, logger, held, a.lanes.keep(held, heldOutdated), why)

		return
	}

	asking, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()

	now, err := a.config.Reader.Get(asking, &tidemarkv1.GetRecommendationRequest{
		Service: held.GetService(), View: a.config.View,
	})

	switch {
	case status.Code(err) == codes.NotFound, err == nil && !sameAdvice(held, now):
		// What there is now is news, which the watch brings.
		logger.InfoContext(ctx, "recommendation is outdated, and has been replaced", "reason", why)
		a.lanes.done(held)
	case err == nil && a.outdated(now, time.Now()) == "":
		a.lanes.back(now)
	default:
		if err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "cannot ask whether an outdated recommendation has been renewed", "error", err)
		}

		a.defers(ctx, logger, held, a.lanes.keepFor(held, renewEvery/2+rand.N(renewEvery)), why)
	}
}

// sameAdvice reports that there is the same to do as before.
func sameAdvice(before, now *tidemarkv1.Recommendation) bool {
	return before.GetService() == now.GetService() && before.GetMode() == now.GetMode() &&
		proto.Equal(before.GetRecommended(), now.GetRecommended()) && outstanding(before) == outstanding(now)
}
