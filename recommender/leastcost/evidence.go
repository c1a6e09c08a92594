package leastcost

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// checkEvidence decides what may be lowered. Use that was seen is a lower bound of the need, however few samples there
// are; that there was no more is only known of a service that was watched.
func (e *evaluation) checkEvidence() {
	stale := e.in.Usage.Stale(e.in.Now, e.params.MaxSampleAge)
	shortCPU, shortMemory := e.short(e.in.Usage.CPUHistogram), e.short(e.in.Usage.MemoryHistogram)
	thin := !(e.recent.Coverage >= e.params.MinCoverage)

	if stale {
		e.proposal.Because(recommender.ReasonStaleData)
	}

	switch {
	case e.recent.Coverage <= 0:
		e.proposal.Because(recommender.ReasonNoData)
	case shortCPU || shortMemory || thin:
		e.proposal.Because(recommender.ReasonLowCoverage)
	}

	keep := stale || thin
	e.proposal.KeepCPU = keep || shortCPU || e.newest.CPUPeakMillis <= 0
	e.proposal.KeepMemory = keep || shortMemory || e.newest.ResidentMemoryPeakBytes <= 0
}

// short reports that the use of a resource has not been watched for long enough.
func (e *evaluation) short(h *usage.Histogram) bool {
	return h == nil || h.First.IsZero() || e.in.Usage.Clock(e.in.Now).Sub(h.First) < e.params.MinHistory
}
