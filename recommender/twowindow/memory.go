package twowindow

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// memoryNeed is the largest of four terms: the peak of query memory and the peak of resident memory, each with the
// headroom of the variation class; after refused requests the resident memory at that moment with the OOM headroom; after
// a kill the same. A need close to the allocation keeps it.
//
// All terms come from what was used, none from the allocation or an earlier answer. So a service that runs out of memory
// at its maximum asks for the same again and again, and not for ever more.
//
// The need grows with each input as long as the class stays the same. Where a rising peak turns stable use into spiky
// use, it drops once, by SpikyMultiplier / StableMultiplier.
func (e *evaluation) memoryNeed(seen *usage.Window, class *recommender.MemoryClass) recommender.MemoryExplanation {
	m := e.classify(seen, class)

	m.QueryTermBytes = headroom(seen.QueryMemoryPeakBytes, m.Multiplier)
	m.ResidentTermBytes = headroom(seen.ResidentMemoryPeakBytes, m.Multiplier)

	if seen.MemoryRejections > 0 {
		m.RejectionMultiplier = e.decayed(m.Multiplier, seen.NewestRejectionTime)
		m.RejectionTermBytes = headroom(residentAt(seen.RejectionResidentBytes, seen), m.RejectionMultiplier)
	}

	if seen.OOMKills > 0 || seen.OOMKillResidentBytes > 0 {
		m.OOMKillMultiplier = e.decayed(m.Multiplier, seen.NewestOOMKillTime)
		m.OOMKillTermBytes = headroom(residentAt(seen.OOMKillResidentBytes, seen), m.OOMKillMultiplier)
	}

	// Without resident memory the other terms are a lower bound only, so the allocation counts too.
	if m.ResidentTermBytes == 0 {
		m.NeedBytes = e.allocation.MemoryBytes
	}

	for _, term := range [...]struct {
		name  recommender.MemoryTerm
		bytes int64
	}{
		{recommender.MemoryTermResident, m.ResidentTermBytes},
		{recommender.MemoryTermQuery, m.QueryTermBytes},
		{recommender.MemoryTermRejection, m.RejectionTermBytes},
		{recommender.MemoryTermOOMKill, m.OOMKillTermBytes},
	} {
		if term.bytes > m.NeedBytes {
			m.Term, m.NeedBytes = term.name, term.bytes
		}
	}

	m.TargetBytes = m.NeedBytes
	if e.withinBand(&m) {
		m.Term, m.NeedBytes = recommender.MemoryTermBand, e.allocation.MemoryBytes
	}

	return m
}

// withinBand reports that the need is so close to the allocation that it is kept. Evidence of memory that was short is
// followed at once.
func (e *evaluation) withinBand(m *recommender.MemoryExplanation) bool {
	current, need := float64(e.allocation.MemoryBytes), float64(m.NeedBytes)

	switch m.Term {
	case recommender.MemoryTermQuery, recommender.MemoryTermResident:
		return need >= current*(1-e.params.MemoryBandDown) && need <= current*(1+e.params.MemoryBandUp) && need != current
	case recommender.MemoryTermRejection, recommender.MemoryTermOOMKill:
		return need >= current*(1-e.params.MemoryBandDown) && need < current
	case recommender.MemoryTermAllocation, recommender.MemoryTermBand:
	}

	return false
}

// decayed is the OOM headroom, less what the age of the evidence has taken from it. It never falls below the ordinary
// headroom. Evidence whose age is not known counts as new.
func (e *evaluation) decayed(ordinary float64, at time.Time) float64 {
	oom := e.params.OOMMultiplier

	age := e.in.Usage.Clock(e.in.Now).Sub(at)
	if e.params.OOMDecay <= 0 || at.IsZero() || age <= 0 {
		return oom
	}

	left := max(0, 1-age.Seconds()/e.params.OOMDecay.Seconds())

	return ordinary + (oom-ordinary)*left
}

// classify tells stable from spiky use by peak / median of resident memory. Without a median use counts as stable, which
// gives the larger headroom. Use that was spiky is so until it has become clearly stable; class remembers which it was.
func (e *evaluation) classify(seen *usage.Window, class *recommender.MemoryClass) recommender.MemoryExplanation {
	m := recommender.MemoryExplanation{
		Class:      recommender.MemoryStable,
		Multiplier: e.params.StableMultiplier,
		Term:       recommender.MemoryTermAllocation,
	}

	if seen.ResidentMemoryPeakBytes <= 0 || seen.ResidentMemoryMedianBytes <= 0 {
		return m
	}

	limit := e.params.SpikyRatio
	if *class == recommender.MemorySpiky {
		limit *= 1 - e.params.SpikyBand
	}

	m.VariationRatio = float64(seen.ResidentMemoryPeakBytes) / float64(seen.ResidentMemoryMedianBytes)
	if m.VariationRatio > limit {
		m.Class, m.Multiplier = recommender.MemorySpiky, e.params.SpikyMultiplier
	}

	*class = m.Class

	return m
}

// residentAt is the resident memory at an event. It happens faster than the next sample; then the peak of the window is
// the best there is.
func residentAt(event int64, seen *usage.Window) int64 {
	if event > 0 {
		return event
	}

	return seen.ResidentMemoryPeakBytes
}

func headroom(bytes int64, multiplier float64) int64 {
	return size.Ceil(float64(bytes)*multiplier, size.MaxMemoryBytes)
}
