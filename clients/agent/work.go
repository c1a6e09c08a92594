package agent

import (
	"context"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// work acts on one recommendation after the other, until the lanes are closed.
func (a *Agent) work(ctx context.Context) error {
	for {
		recommendation := a.lanes.take()
		if recommendation == nil {
			return ctx.Err() //nolint:wrapcheck // the caller's own
		}

		a.act(ctx, recommendation)
	}
}

// act lets the actuator act, once, and settles what follows.
func (a *Agent) act(ctx context.Context, recommendation *tidemarkv1.Recommendation) {
	logger := a.logger.With("service", recommendation.GetService(), "revision", recommendation.GetRevision())

	if expired(recommendation, time.Now()) {
		logger.WarnContext(ctx, "recommendation has expired, not acting on it",
			"expire_time", recommendation.GetExpireTime().AsTime())
		a.lanes.done(recommendation)

		return
	}

	switch err := a.config.Actuator.Apply(ctx, recommendation); {
	case err == nil:
		a.lanes.done(recommendation)
	case ctx.Err() != nil:
		logger.WarnContext(ctx, "stopped while acting on a recommendation", "error", err)
		a.lanes.done(recommendation)
	case permanent(err):
		logger.ErrorContext(ctx, "acting on a recommendation failed for good", "error", err)
		a.lanes.done(recommendation)
	default:
		again := a.lanes.failed(recommendation, askedDelay(err))
		logger.WarnContext(ctx, "acting on a recommendation failed", "error", err, "again_in", again.Round(time.Millisecond))
	}
}

// expired reports that the recommendation should no longer be acted on. The clock is this machine's: it should agree with
// the server's to within minutes.
func expired(recommendation *tidemarkv1.Recommendation, now time.Time) bool {
	return recommendation.GetExpireTime() != nil && !now.Before(recommendation.GetExpireTime().AsTime())
}
