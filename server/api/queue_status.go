package api

import (
	"context"
	"math"
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
)

// deepestTenants is how many tenants a status shows.
const deepestTenants = 100

// GetQueueStatus implements the RPC.
func (s *Queue) GetQueueStatus(
	_ context.Context, request *tidemarkv1.GetQueueStatusRequest,
) (*tidemarkv1.GetQueueStatusResponse, error) {
	tenants := s.tenants(request.GetTenant())
	names := make([]string, len(tenants))

	for i, t := range tenants {
		names[i] = t.Tenant
	}

	stats, survey := s.queue.Stats(), s.queue.Survey(names...)
	response := &tidemarkv1.GetQueueStatusResponse{
		Stopping:          stats.Stopped,
		Depth:             queueDepth(stats.Depth),
		OldestEnqueueTime: apivalue.TimeOrNone(survey.Oldest),
		EnqueueRate:       stats.TakenPerSecond,
		EvaluationRate:    stats.EndedPerSecond,
		Evaluations:       evaluationTotals(&stats),
	}

	for _, t := range stats.Triggers {
		response.Triggers = append(response.Triggers, triggerStatus(&t, &survey.Triggers[t.Trigger]))
	}

	for _, p := range s.queue.Pauses() {
		response.Pauses = append(response.Pauses, pauseMessage(p))
	}

	for _, d := range s.queue.Dependencies() {
		response.Dependencies = append(response.Dependencies, dependencyStatus(&d))
	}

	for i, t := range tenants {
		response.Tenants = append(response.Tenants, tenantStatus(&t, &survey.Tenants[i]))
	}

	if request.GetTenant() != "" {
		only := response.GetTenants()[0]
		response.Depth, response.OldestEnqueueTime = only.GetDepth(), only.GetOldestEnqueueTime()
	}

	return response, nil
}

// tenants returns the one that is asked for, or the deepest when that is none.
func (s *Queue) tenants(only string) []queue.TenantStats {
	if only == "" {
		return s.queue.Tenants(deepestTenants)
	}

	part, _ := s.queue.Tenant(only)

	return []queue.TenantStats{part}
}

func queueDepth(d queue.Depth) *tidemarkv1.QueueDepth {
	return &tidemarkv1.QueueDepth{
		Waiting: int64(d.Waiting), Running: int64(d.Running), BackingOff: int64(d.BackingOff), Failed: int64(d.Failed),
	}
}

func evaluationTotals(s *queue.Stats) *tidemarkv1.EvaluationTotals {
	return &tidemarkv1.EvaluationTotals{
		Succeeded: total(s.Succeeded), Retried: total(s.Retried), Failed: total(s.Failed),
		Unavailable: total(s.Unavailable), Released: total(s.Released), GaveUp: total(s.GaveUp),
	}
}

func triggerStatus(t *queue.TriggerStats, part *queue.Part) *tidemarkv1.TriggerStatus {
	return &tidemarkv1.TriggerStatus{
		Trigger:           apivalue.Trigger(t.Trigger),
		Depth:             queueDepth(part.Depth),
		Waiting:           int64(part.Depth.Waiting),
		OldestEnqueueTime: apivalue.TimeOrNone(part.Oldest),
		EnqueueRate:       t.TakenPerSecond,
		StartRate:         t.StartedPerSecond,
		QueuedTotal:       total(t.Queued),
		MergedTotal:       total(t.Merged),
		MovedUpTotal:      total(t.MovedUp),
		DeferredTotal:     total(t.Deferred),
		RefusedTotal:      total(t.Refused),
	}
}

func tenantStatus(t *queue.TenantStats, part *queue.TenantPart) *tidemarkv1.TenantStatus {
	return &tidemarkv1.TenantStatus{
		Tenant:            t.Tenant,
		Depth:             queueDepth(t.Depth),
		OldestEnqueueTime: apivalue.TimeOrNone(part.Oldest),
		ArrivalRate:       part.CamePerSecond,
		DepartureRate:     part.LeftPerSecond,
	}
}

// total is a counter in the API's type.
func total(count uint64) int64 {
	return int64(min(count, math.MaxInt64))
}

// dependencyStates maps the queue's breakers to the API's states.
var dependencyStates = map[queue.BreakerState]tidemarkv1.DependencyState{
	queue.Closed:     tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE,
	queue.Recovering: tidemarkv1.DependencyState_DEPENDENCY_STATE_RECOVERING,
	queue.Probing:    tidemarkv1.DependencyState_DEPENDENCY_STATE_PROBING,
	queue.Open:       tidemarkv1.DependencyState_DEPENDENCY_STATE_UNAVAILABLE,
}

func dependencyStatus(d *queue.Dependency) *tidemarkv1.DependencyStatus {
	status := &tidemarkv1.DependencyStatus{
		Name:        d.Name,
		State:       dependencyStates[d.State],
		Unavailable: d.State == queue.Probing || d.State == queue.Open,
		SinceTime:   apivalue.TimeOrNone(d.Since),
	}

	// The failure of an evaluation begins with the name of what it lacked, too.
	why := strings.TrimPrefix(d.Message, d.Name+": ")

	switch {
	case status.GetUnavailable():
		status.Message = "waiting for " + d.Name + ": " + why
	case d.State == queue.Recovering:
		status.Message = d.Name + " is back after: " + why
	}

	return status
}
