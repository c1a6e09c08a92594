package api

import (
	"context"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/observe"
)

const (
	// observePeriod is what an observe report looks back when nothing is said.
	observePeriod = 24 * time.Hour
	// observeTop and observeMaxTop are how many services it tells of one by one: by default, and at most.
	observeTop, observeMaxTop = 20, 1000
)

// GetObserveReport implements the RPC.
func (r *Recommendations) GetObserveReport(
	_ context.Context, request *tidemarkv1.GetObserveReportRequest,
) (*tidemarkv1.GetObserveReportResponse, error) {
	period := observePeriod
	if request.GetPeriod() != nil {
		period = request.GetPeriod().AsDuration()
	}

	now := time.Now()

	return r.observed.Report(observe.Query{
		Services: request.GetServices(),
		Tenants:  request.GetTenants(),
		Start:    now.Add(-period),
		End:      now,
		Top:      pageSize(request.GetTop(), observeTop, observeMaxTop),
	}), nil
}
