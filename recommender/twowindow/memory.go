package twowindow

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// memoryNeed is the largest of four terms: the peak of query memory and the peak of resident memory, each with the
// headroom of the variation class; after refused requests the resident peak with the OOM headroom; after a kill the
// resident memory at that moment with the OOM headroom.
//
// All terms come from what was used, none from the allocation or an earlier answer. So a service that runs out of memory
// at its maximum asks for the same again and again, and not for ever more.
//
// The need grows with each input as long as the class stays the same. Where a rising peak turns stable use into spiky
// use, it drops once, by SpikyMultiplier / StableMultiplier.
func (e *evaluation) memoryNeed(seen usage.Window) recommender.MemoryExplanation {
	m := e.classify(seen)

	m.QueryTermBytes = headroom(seen.QueryMemoryPeakBytes, m.Multiplier)
	m.ResidentTermBytes = headroom(seen.ResidentMemoryPeakBytes, m.Multiplier)

	if seen.MemoryRejections > 0 {
		m.RejectionTermBytes = headroom(seen.ResidentMemoryPeakBytes, e.params.OOMMultiplier)
	}

	if seen.OOMKills > 0 || seen.OOMKillResidentBytes > 0 {
		m.OOMKillTermBytes = headroom(residentAtKill(seen), e.params.OOMMultiplier)
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

	return m
}

// classify tells stable from spiky use by peak / median of resident memory. Without a median use counts as stable, which
// gives the larger headroom.
func (e *evaluation) classify(seen usage.Window) recommender.MemoryExplanation {
	m := recommender.MemoryExplanation{
		Class:      recommender.MemoryStable,
		Multiplier: e.params.StableMultiplier,
		Term:       recommender.MemoryTermAllocation,
	}

	if seen.ResidentMemoryPeakBytes > 0 && seen.ResidentMemoryMedianBytes > 0 {
		m.VariationRatio = float64(seen.ResidentMemoryPeakBytes) / float64(seen.ResidentMemoryMedianBytes)
	}

	if m.VariationRatio > e.params.SpikyRatio {
		m.Class, m.Multiplier = recommender.MemorySpiky, e.params.SpikyMultiplier
	}

	return m
}

// residentAtKill is the resident memory when a process was killed. The killer is often faster than the next sample; then
// the peak of the window is the best there is.
func residentAtKill(seen usage.Window) int64 {
	if seen.OOMKillResidentBytes > 0 {
		return seen.OOMKillResidentBytes
	}

	return seen.ResidentMemoryPeakBytes
}

func headroom(bytes int64, multiplier float64) int64 {
	return ceil(float64(bytes)*multiplier, size.MaxMemoryBytes)
}
