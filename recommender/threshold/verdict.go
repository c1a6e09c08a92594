package threshold

import "github.com/tidemark-project/tidemark/recommender"

// verdict is what the rules say together. The service grows when any of them says so. On AxisReplicas it shrinks when all
// that have a lower threshold say so, since a replica takes both resources along; on AxisSize each resource has its own
// rule, so it is enough that one does.
func (e *evaluation) verdict() recommender.Direction {
	cpu, memory := &e.judged[0], &e.judged[1]

	switch {
	case cpu.above || memory.above:
		e.proposal.Because(recommender.ReasonAboveThreshold)

		return recommender.DirectionUp
	case e.params.Axis == AxisSize && (cpu.below || memory.below),
		(cpu.below || cpu.rule.Min == 0) && (memory.below || memory.rule.Min == 0) && (cpu.below || memory.below):
		e.proposal.Because(recommender.ReasonBelowThreshold)

		return recommender.DirectionDown
	default:
		e.proposal.Because(recommender.ReasonWithinThresholds)

		return recommender.DirectionNone
	}
}

// waits reports that the service changed too recently. Growing waits only for the last growth, so that a service that
// shrank too far need not wait to grow back; shrinking waits for the last change of either direction.
func (e *evaluation) waits(verdict recommender.Direction) bool {
	times, now := &e.in.State.Scaling, e.in.Now

	up := recommender.Within(times.UpTime, now, e.params.ScaleOutInterval)
	down := recommender.Within(times.UpTime, now, e.params.ScaleInInterval) ||
		recommender.Within(times.DownTime, now, e.params.ScaleInInterval)

	if !times.UpTime.IsZero() {
		e.fact("since_growth_seconds", now.Sub(times.UpTime).Seconds())
	}

	if !times.DownTime.IsZero() {
		e.fact("since_shrinkage_seconds", now.Sub(times.DownTime).Seconds())
	}

	waits := up && verdict == recommender.DirectionUp || down && verdict == recommender.DirectionDown
	if waits {
		e.proposal.Because(recommender.ReasonCoolDown)
	}

	return waits
}
