package agent

import (
	"context"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// follow puts what the watch tells into the services' lanes. It never waits for an actuator.
func (a *Agent) follow(ctx context.Context) error {
	options := tidemark.WatchOptions{Filter: a.config.Filter, View: a.config.View}
	down := false

	for event, err := range a.config.Watcher.Watch(ctx, options) {
		if err != nil {
			return err
		}

		switch event.Kind {
		case tidemark.Disconnected:
			down = true

			a.logger.WarnContext(ctx, "server unavailable, following again when it is back", "error", event.Err)

			continue
		case tidemark.Changed:
			a.consider(ctx, event.Recommendation, event.Snapshot)
		case tidemark.Renewed:
			a.lanes.renew(event.Recommendation)
		case tidemark.Removed:
			a.forget(event.Removed.GetService())
		case tidemark.CaughtUp:
			a.journal.caughtUp()
			a.logger.DebugContext(ctx, "caught up", "revision", event.EndOfSnapshot.GetRevision())
		case tidemark.SnapshotStarted, tidemark.Alive:
		}

		if down {
			down = false

			a.logger.InfoContext(ctx, "server is back")
		}
	}

	return ctx.Err() //nolint:wrapcheck // the caller's own
}

// consider hands a recommendation on if it matters.
func (a *Agent) consider(ctx context.Context, recommendation *tidemarkv1.Recommendation, snapshot bool) {
	matters := a.journal.matters(recommendation, snapshot)

	switch {
	case recommendation.GetRecommended() != nil && !a.wanted(recommendation):
		// It still replaces one that waits or is to be tried again: that one is outdated.
		a.lanes.drop(recommendation.GetService())

		return
	case !matters:
		a.lanes.renew(recommendation)

		return
	}

	if why := a.lanes.put(recommendation); why != notHeld {
		logger := a.logger.With("service", recommendation.GetService(), "revision", recommendation.GetRevision())
		a.defers(ctx, logger, recommendation, why, a.whyHeld(ctx, why))
	}
}

// wanted reports that the actuator takes recommendations of this mode and direction.
func (a *Agent) wanted(recommendation *tidemarkv1.Recommendation) bool {
	if !outstanding(recommendation) && !a.config.Settled {
		return false
	}

	return Actionable(recommendation) || a.config.ObserveOnly && ObserveOnly(recommendation)
}

// forget ends all plans for a service that is gone, or is no concern of this agent any more.
func (a *Agent) forget(service string) {
	a.journal.forget(service)
	a.lanes.drop(service)
}

// Actionable reports that the recommendation's policy lets it be acted on.
func Actionable(recommendation *tidemarkv1.Recommendation) bool {
	return recommendation.GetMode() == tidemarkv1.Mode_MODE_ENFORCE ||
		recommendation.GetMode() == tidemarkv1.Mode_MODE_UP_ONLY
}

// ObserveOnly reports that the recommendation is there to be looked at and not to be acted on.
func ObserveOnly(recommendation *tidemarkv1.Recommendation) bool {
	return recommendation.GetMode() == tidemarkv1.Mode_MODE_OBSERVE_ONLY
}
