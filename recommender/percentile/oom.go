package percentile

import "github.com/tidemark-project/tidemark/recommender"

// evidenceNeed returns the memory that kills and refused requests of the last day ask for, 0 without any, and what decides
// the need for memory: they do where they ask for more than the target. It comes from
// what was used and never from the allocation, so that a service that runs out of memory at its maximum asks for the same
// again and again, and not for ever more. It has no margin, being one itself.
func (e *evaluation) evidenceNeed(target int64) (int64, recommender.Reason) {
	killed, refused := int64(0), int64(0)

	if e.recent.OOMKills > 0 || e.recent.OOMKillResidentBytes > 0 {
		killed = e.bump("oom_kill_resident_bytes", "oom_kill_need_bytes", e.recent.OOMKillResidentBytes)
	}

	if e.recent.MemoryRejections > 0 {
		refused = e.bump("rejection_resident_bytes", "rejection_need_bytes", e.recent.RejectionResidentBytes)
	}

	switch need := max(killed, refused); {
	case need <= target:
		return need, recommender.ReasonPercentile
	case killed >= refused:
		return need, recommender.ReasonOOMKilled
	default:
		return need, recommender.ReasonMemoryRejected
	}
}

// bump returns the need after one kind of evidence. The resident memory at the event may not be known, because it
// happened faster than the next sample; then the day's peak is the best there is.
func (e *evaluation) bump(usedName, needName string, used int64) int64 {
	if used <= 0 {
		used = e.recent.ResidentMemoryPeakBytes
	}

	if used <= 0 {
		return 0
	}

	need := OOMNeed(used, e.params.OOMMinBytes, e.params.OOMRatio)
	e.fact(usedName, float64(used))
	e.fact(needName, float64(need))

	return need
}
