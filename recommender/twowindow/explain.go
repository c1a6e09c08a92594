package twowindow

import "github.com/tidemark-project/tidemark/recommender"

// explainPick adds the reasons for the outcome of one merge.
func (e *evaluation) explainPick(m *recommender.MergeExplanation) {
	switch {
	case m.Impossible:
		e.proposal.Because(recommender.ReasonImpossibleCell)
	case m.Hunting.Consulted && m.Picked == recommender.PickHold:
		e.proposal.Because(recommender.ReasonNoPreviousSlot)
	case m.Hunting.Consulted && m.Hunting.Trending:
		e.proposal.Because(recommender.ReasonTrendingUp)
	case m.Hunting.Consulted:
		e.proposal.Because(recommender.ReasonNotTrending)
	case m.Large == recommender.DirectionUp && m.Small == recommender.DirectionNone:
		e.proposal.Because(recommender.ReasonUpNotConfirmed)
	}

	if m.Picked == recommender.PickSmall || m.Picked == recommender.PickLarger {
		e.explainNeed(m.Scope, e.small)
	}

	if m.Picked == recommender.PickLarge || m.Picked == recommender.PickLarger {
		e.explainNeed(m.Scope, e.large)
	}
}

// explainNeed adds the reasons for the need of one window.
func (e *evaluation) explainNeed(scope recommender.MergeScope, w *recommender.WindowExplanation) {
	if w.Empty {
		return
	}

	if scope != recommender.ScopeMemory {
		e.proposal.Because(cpuReason(w.CPU.Position))
	}

	if scope != recommender.ScopeCPU {
		e.proposal.Because(memoryReason(w.Memory.Term))
	}
}

func cpuReason(position recommender.BandPosition) recommender.Reason {
	switch position {
	case recommender.BandAbove:
		return recommender.ReasonCPUAboveBand
	case recommender.BandBelow:
		return recommender.ReasonCPUBelowBand
	case recommender.BandWithin:
		return recommender.ReasonCPUWithinBand
	case recommender.BandUnknown:
	}

	return recommender.ReasonCPUUnknown
}

func memoryReason(term recommender.MemoryTerm) recommender.Reason {
	switch term {
	case recommender.MemoryTermRejection:
		return recommender.ReasonMemoryRejected
	case recommender.MemoryTermOOMKill:
		return recommender.ReasonOOMKilled
	case recommender.MemoryTermQuery, recommender.MemoryTermResident:
		return recommender.ReasonMemoryPeak
	case recommender.MemoryTermBand:
		return recommender.ReasonMemoryWithinBand
	case recommender.MemoryTermAllocation:
	}

	return recommender.ReasonMemoryUnknown
}
