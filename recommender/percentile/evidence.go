package percentile

import "github.com/tidemark-project/tidemark/recommender"

// checkEvidence decides what may be lowered. Use that was seen is a lower bound of the need, however little was seen; that
// there was no more is only known of a service that was watched. Without this, a gap in the data would make old use fade
// as if it had ended.
func (e *evaluation) checkEvidence() {
	recent, _ := e.in.Usage.Window(evidenceWindow)

	recent, plausible := recent.Plausible()
	if !plausible {
		e.proposal.Because(recommender.ReasonImplausibleData)
	}

	e.recent = recent
	e.fact("coverage", recent.Coverage)

	stale := e.in.Usage.Stale(e.in.Now, e.params.MaxSampleAge)
	if stale {
		e.proposal.Because(recommender.ReasonStaleData)
	}

	switch {
	case recent.Coverage <= 0:
		e.proposal.Because(recommender.ReasonNoData)
	case recent.Coverage < e.params.MinCoverage:
		e.proposal.Because(recommender.ReasonLowCoverage)
	}

	keep := stale || recent.Coverage < e.params.MinCoverage
	e.proposal.KeepCPU = keep || recent.CPUPeakMillis <= 0
	e.proposal.KeepMemory = keep || recent.ResidentMemoryPeakBytes <= 0
}
