package leastcost

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// evidenceNeed is what refused requests and kills say that memory is needed: what was in use then, with a headroom that
// decays to the ordinary one. It comes from what was used and never from the allocation, so that a service that runs out
// of memory at its maximum does not ask for ever more.
func (e *evaluation) evidenceNeed() int64 {
	need := int64(0)

	if e.recent.MemoryRejections > 0 {
		need = e.evidence("rejection", e.recent.RejectionResidentBytes, e.recent.NewestRejectionTime, recommender.ReasonMemoryRejected)
	}

	if e.recent.OOMKills > 0 || e.recent.OOMKillResidentBytes > 0 {
		need = max(need, e.evidence("oom_kill", e.recent.OOMKillResidentBytes, e.recent.NewestOOMKillTime, recommender.ReasonOOMKilled))
	}

	return need
}

func (e *evaluation) evidence(name string, resident int64, at time.Time, reason recommender.Reason) int64 {
	if resident <= 0 {
		resident = e.recent.ResidentMemoryPeakBytes
	}

	multiplier := e.params.OOMMultiplier
	if age := e.in.Usage.Clock(e.in.Now).Sub(at); !at.IsZero() && age > 0 {
		left := max(0, 1-age.Seconds()/e.params.EvidenceWindow.Seconds())
		ordinary := e.params.Memory.Headroom
		multiplier = ordinary + max(0, multiplier-ordinary)*left
	}

	need := size.Ceil(float64(resident)*multiplier, size.MaxMemoryBytes)
	e.fact(name+"_resident_bytes", float64(resident))
	e.fact(name+"_multiplier", multiplier)
	e.fact(name+"_need_bytes", float64(need))

	if need > e.in.Allocation.MemoryBytes {
		e.proposal.Because(reason)
	}

	return need
}
