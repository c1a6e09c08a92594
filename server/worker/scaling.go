package worker

import (
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
)

const (
	// reportHolds is how long a size that an agent reported stands in for one that the inventory has not shown yet. A
	// change that is not to be seen by then did not last.
	reportHolds = 15 * time.Minute
	// inventoryLag is how far the inventory may be behind: what it wrote so soon after a report may be the size before.
	inventoryLag = time.Minute
)

// heed returns the size that a service has and what is known of its changes, by the inventory and by what an agent
// reported last. A change that was applied counts from the report on and not from when the inventory shows it: else an
// evaluation in between would compare with a size that the service no longer has.
func heed(
	before *tidemarkv1.Recommendation, seen usage.Snapshot, scaling recommender.Scaling, now time.Time,
) (size.Size, recommender.Scaling) {
	report := before.GetScalingReport()
	if report.GetOutcome() != tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED || report.GetAllocation() == nil {
		return seen.Allocation, scaling
	}

	applied, at := overlay(seen.Allocation, report.GetAllocation()), report.GetReportTime().AsTime()
	if !seen.Allocation.Resources().Known() || !applied.Resources().Known() {
		return seen.Allocation, scaling
	}

	overtaken := seen.AllocationTime.After(at.Add(inventoryLag)) || now.Sub(at) > reportHolds
	if applied != seen.Allocation && overtaken {
		return seen.Allocation, scaling
	}

	// What the latest evaluation knew already is in its state.
	if evaluated := before.GetEvaluateTime(); evaluated == nil || !at.Before(evaluated.AsTime()) {
		scaling = changedAt(scaling, applied, at)
	}

	return applied, scaling
}

// overlay is a size with what an agent knows of it.
func overlay(s size.Size, known *tidemarkv1.Size) size.Size {
	if known.GetCpuMillis() > 0 {
		s.CPUMillis = known.GetCpuMillis()
	}

	if known.GetMemoryBytes() > 0 {
		s.MemoryBytes = known.GetMemoryBytes()
	}

	if known.GetReplicas() > 0 {
		s.Replicas = known.GetReplicas()
	}

	return s
}

// changedAt notes that a service changed to a size at a time.
func changedAt(s recommender.Scaling, to size.Size, at time.Time) recommender.Scaling {
	from := s.Allocation
	s.Allocation = to

	if !from.Resources().Known() {
		return s
	}

	if from.Replicas == 0 || to.Replicas == 0 {
		from.Replicas = to.Replicas
	}

	if to.CPUMillis > from.CPUMillis {
		s.CPUUpTime = latest(s.CPUUpTime, at)
	}

	if to.MemoryBytes > from.MemoryBytes {
		s.MemoryUpTime = latest(s.MemoryUpTime, at)
	}

	if to.CPUMillis > from.CPUMillis || to.MemoryBytes > from.MemoryBytes || to.Replicas > from.Replicas {
		s.UpTime = latest(s.UpTime, at)
	}

	if to.CPUMillis < from.CPUMillis || to.MemoryBytes < from.MemoryBytes || to.Replicas < from.Replicas {
		s.DownTime = latest(s.DownTime, at)
	}

	return s
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}

	return b
}

// wantedAgain reports that a person asks for a service whose current value was not applied: watchers are then told of the
// value once more, even if it is the same.
func wantedAgain(before *tidemarkv1.Recommendation, triggers []queue.Record) bool {
	report := before.GetScalingReport()

	unapplied := report.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED ||
		report.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED
	if !unapplied || report.GetRevision() != before.GetRevision() {
		return false
	}

	for _, trigger := range triggers {
		if trigger.Trigger == queue.Manual {
			return true
		}
	}

	return false
}
