package twowindow

import "github.com/tidemark-project/tidemark/recommender"

// checkEvidence decides what may be lowered. A peak that was seen is a lower bound of the need, however few samples
// there are, so anything may be raised; that no higher peak exists is only known when both windows were watched and the
// data is fresh.
func (e *evaluation) checkEvidence() {
	stale := e.in.Usage.Stale(e.in.Now, e.params.MaxSampleAge)
	if stale {
		e.proposal.Because(recommender.ReasonStaleData)
	}

	e.proposal.KeepCPU, e.proposal.KeepMemory = stale, stale

	for _, w := range [...]*recommender.WindowExplanation{e.small, e.large} {
		e.checkWindow(w)
	}
}

func (e *evaluation) checkWindow(w *recommender.WindowExplanation) {
	// A coverage that is not a number is not enough either.
	enough := w.Usage.Coverage >= e.params.MinCoverage && w.Usage.Coverage <= 1

	switch {
	case w.Empty:
		e.proposal.Because(recommender.ReasonNoData)
	case !enough:
		e.proposal.Because(recommender.ReasonLowCoverage)
	}

	if !w.Empty && !cpuKnown(w) {
		e.proposal.Because(recommender.ReasonCPUUnknown)
	}

	if !w.Empty && !residentKnown(w) {
		e.proposal.Because(recommender.ReasonMemoryUnknown)
	}

	e.proposal.KeepCPU = e.proposal.KeepCPU || !enough || !cpuKnown(w)
	e.proposal.KeepMemory = e.proposal.KeepMemory || !enough || !residentKnown(w)
}
