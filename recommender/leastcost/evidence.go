package leastcost

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
)

// checkEvidence decides what may be lowered. Use that was seen is a lower bound of the need, however few samples there
// are; that there was no more is only known of a service that was watched.
func (e *evaluation) checkEvidence() {
	h := e.in.Usage.CPUHistogram
	stale := e.stale()
	short := h == nil || e.readTime().Sub(h.First) < e.params.MinHistory || h.First.IsZero()
	thin := !(e.recent.Coverage >= e.params.MinCoverage)

	if stale {
		e.proposal.Because(recommender.ReasonStaleData)
	}

	switch {
	case e.recent.Coverage <= 0:
		e.proposal.Because(recommender.ReasonNoData)
	case short || thin:
		e.proposal.Because(recommender.ReasonLowCoverage)
	}

	keep := stale || short || thin
	e.proposal.KeepCPU = keep || e.newest.CPUPeakMillis <= 0
	e.proposal.KeepMemory = keep || e.newest.ResidentMemoryPeakBytes <= 0
}

// stale reports that the newest sample is too old, or that its age is not known because a clock is wrong.
func (e *evaluation) stale() bool {
	if e.in.Usage.NewestSample.IsZero() {
		return true
	}

	return !recommender.Within(e.in.Usage.NewestSample, e.readTime(), e.params.MaxSampleAge+1)
}

func (e *evaluation) readTime() time.Time {
	if e.in.Usage.ReadTime.IsZero() {
		return e.in.Now
	}

	return e.in.Usage.ReadTime
}
