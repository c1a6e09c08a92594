package server

import (
	"context"
	"fmt"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/inventory"
)

const (
	// forgetPasses is how often it is looked for services that have gone in the time after which they are forgotten.
	forgetPasses = 100
	// minForgetInterval keeps that from being all the time.
	minForgetInterval = time.Minute
	// mostGone is the largest part of all services that is believed to have gone since the pass before: half. More is taken
	// for a fault of the inventory.
	mostGone = 2
	// forgetPage is how many recommendations are looked at under one lock.
	forgetPage = 1000
)

// forgetTheGone deletes services that have gone, until ctx ends.
func (s *Server) forgetTheGone(ctx context.Context) error {
	if s.config.ForgetAfter == 0 {
		return nil
	}

	ticker := time.NewTicker(max(s.config.ForgetAfter/forgetPasses, minForgetInterval))
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			s.forgetPass(ctx)
		case <-ctx.Done():
			return fmt.Errorf("forget services that have gone: %w", context.Cause(ctx))
		}
	}
}

// forgetPass deletes those that have gone by now, unless they are too many to be believed.
func (s *Server) forgetPass(ctx context.Context) {
	gone, all := s.gone(time.Now())
	if len(gone) > all/mostGone {
		s.logger.WarnContext(ctx, "too many services seem to have gone; none is forgotten before the inventory is looked after",
			"gone", len(gone), "services", all)

		return
	}

	for _, service := range gone {
		if err := s.recommendations.ForgetGone(ctx, service); err != nil {
			s.logger.WarnContext(ctx, "a service that has gone cannot be forgotten; the next pass tries again",
				"service", service, "error", err)

			return
		}

		s.logger.InfoContext(ctx, "service has gone and is forgotten", "service", service)
	}
}

// gone returns the services that are to be forgotten, and how many there are in all.
func (s *Server) gone(now time.Time) (gone []string, all int) {
	after := ""

	for more := true; more; {
		var page []*tidemarkv1.Recommendation

		page, more, _ = s.hub.List(nil, tidemarkv1.View_VIEW_BASIC, after, forgetPage)
		all += len(page)

		for _, r := range page {
			after = r.GetService()

			if s.hasGone(r, now) {
				gone = append(gone, after)
			}
		}
	}

	return gone, all
}

// hasGone reports that for so long the inventory has not listed the service, nothing was measured of it and nobody asked
// for it. The inventory's word is followed over a day at most: before that the times of the recommendation tell.
func (s *Server) hasGone(r *tidemarkv1.Recommendation, now time.Time) bool {
	limit := s.config.ForgetAfter

	return s.inventory.Absent(r.GetService()) >= min(limit, inventory.AbsenceMemory) && now.Sub(lastSign(r)) >= limit
}

// lastSign is when something was last heard of a service.
func lastSign(r *tidemarkv1.Recommendation) time.Time {
	var newest time.Time

	for _, at := range []interface{ AsTime() time.Time }{
		r.GetDataTime(), r.GetEvaluateTime(), r.GetFailure().GetFailureTime(), r.GetScalingReport().GetReportTime(),
	} {
		if t := at.AsTime(); t.After(newest) {
			newest = t
		}
	}

	return newest
}
