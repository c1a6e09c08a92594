package agent

import (
	"context"
	"log/slog"
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

		a.consent(ctx, recommendation)
	}
}

// consent acts on a recommendation if nothing speaks against it, and settles what follows if something does.
func (a *Agent) consent(ctx context.Context, recommendation *tidemarkv1.Recommendation) {
	logger := a.logger.With("service", recommendation.GetService(), "revision", recommendation.GetRevision())

	if why := a.gate.closed(ctx); why != "" {
		a.defers(ctx, logger, recommendation, a.lanes.keep(recommendation, heldClosed), why)
		a.look() // it may have opened meanwhile

		return
	}

	if why := a.outdated(recommendation, time.Now()); why != "" {
		a.renew(ctx, logger, recommendation, why)

		return
	}

	if why := a.forbidden(recommendation); why != "" {
		logger.ErrorContext(ctx, "recommendation must not be acted on", "reason", why)
		a.report(recommendation, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED, nil, why)
		a.lanes.done(recommendation)

		return
	}

	if Actionable(recommendation) && !a.window.take(time.Now()) {
		a.defers(ctx, logger, recommendation, a.lanes.keep(recommendation, heldLimited), a.tooMany())
		a.look()

		return
	}

	a.act(ctx, logger, recommendation)
}

// act lets the actuator act, once, and settles what follows.
func (a *Agent) act(ctx context.Context, logger *slog.Logger, recommendation *tidemarkv1.Recommendation) {
	size, err := a.apply(ctx, recommendation)

	switch {
	case err == nil:
		a.report(recommendation, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED, size, "")
		a.lanes.done(recommendation)
	case ctx.Err() != nil:
		logger.WarnContext(ctx, "stopped while acting on a recommendation", "error", err)
		a.report(recommendation, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED, size, "the agent was stopped: "+err.Error())
		a.lanes.done(recommendation)
	case permanent(err):
		logger.ErrorContext(ctx, "acting on a recommendation failed for good", "error", err)
		a.report(recommendation, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED, size, err.Error())
		a.lanes.done(recommendation)
	default:
		a.actAgain(ctx, logger, recommendation, size, err)
	}
}

// actAgain has the action repeated later.
func (a *Agent) actAgain(
	ctx context.Context, logger *slog.Logger, recommendation *tidemarkv1.Recommendation, size *tidemarkv1.Size, err error,
) {
	delay, deferred := wait(err)
	log, what, outcome := logger.WarnContext, "acting on a recommendation failed", tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED

	if deferred {
		log, what = logger.InfoContext, "acting on a recommendation has to wait"
		outcome = tidemarkv1.ScalingOutcome_SCALING_OUTCOME_DEFERRED
	}

	a.report(recommendation, outcome, size, err.Error())
	again := a.lanes.failed(recommendation, delay)
	log(ctx, what, "error", err, "again_in", again.Round(time.Millisecond))
}

// apply calls the actuator and returns the size that the service has then, if the actuator knows.
func (a *Agent) apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) (*tidemarkv1.Size, error) {
	if resizer, ok := a.config.Actuator.(Resizer); ok {
		return resizer.Resize(ctx, recommendation)
	}

	return nil, a.config.Actuator.Apply(ctx, recommendation)
}
