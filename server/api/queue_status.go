package api

import (
	"context"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

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
	stats := s.queue.Stats()
	response := &tidemarkv1.GetQueueStatusResponse{
		EnqueueRate:    stats.TakenPerSecond,
		EvaluationRate: stats.EndedPerSecond,
		Evaluations:    evaluationTotals(&stats),
	}

	for _, t := range stats.Triggers {
		response.Triggers = append(response.Triggers, triggerStatus(&t))
	}

	for _, p := range s.queue.Pauses() {
		response.Pauses = append(response.Pauses, pauseMessage(p))
	}

	for _, d := range s.queue.Dependencies() {
		response.Dependencies = append(response.Dependencies, dependencyStatus(&d))
	}

	var tenants []queue.TenantStats

	if tenant := request.GetTenant(); tenant != "" {
		part, oldest := s.queue.Tenant(tenant)
		tenants = []queue.TenantStats{part}
		response.Depth, response.OldestEnqueueTime = queueDepth(part.Depth), enqueueTime(oldest)
	} else {
		tenants = s.queue.Tenants(deepestTenants)
		response.Depth, response.OldestEnqueueTime = queueDepth(stats.Depth), enqueueTime(stats.Oldest)
	}

	for _, t := range tenants {
		response.Tenants = append(response.Tenants, &tidemarkv1.TenantStatus{Tenant: t.Tenant, Depth: queueDepth(t.Depth)})
	}

	return response, nil
}

func queueDepth(d queue.Depth) *tidemarkv1.QueueDepth {
	return &tidemarkv1.QueueDepth{
		Waiting: int64(d.Waiting), Running: int64(d.Running), BackingOff: int64(d.BackingOff), Failed: int64(d.Failed),
	}
}

// enqueueTime is when something of an age came; nil when there is nothing.
func enqueueTime(age time.Duration) *timestamppb.Timestamp {
	if age <= 0 {
		return nil
	}

	return timestamppb.New(time.Now().Add(-age))
}

func evaluationTotals(s *queue.Stats) *tidemarkv1.EvaluationTotals {
	return &tidemarkv1.EvaluationTotals{
		Succeeded: total(s.Succeeded), Retried: total(s.Retried), Failed: total(s.Failed),
		Unavailable: total(s.Unavailable), Released: total(s.Released), GaveUp: total(s.GaveUp),
	}
}

func triggerStatus(t *queue.TriggerStats) *tidemarkv1.TriggerStatus {
	return &tidemarkv1.TriggerStatus{
		Trigger:       apivalue.Trigger(t.Trigger),
		Waiting:       int64(t.Ready),
		QueuedTotal:   total(t.Queued),
		MergedTotal:   total(t.Merged),
		MovedUpTotal:  total(t.MovedUp),
		DeferredTotal: total(t.Deferred),
		RefusedTotal:  total(t.Refused),
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
