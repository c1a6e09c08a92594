package twowindow

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// cpuNeed is target tracking: a peak within the band keeps the allocation, any other asks for peak / target. As the
// target is the geometric mean of the band, the same load always leads back to the same size.
func (e *evaluation) cpuNeed(seen *usage.Window) recommender.CPUExplanation {
	current := e.allocation.CPUMillis
	cpu := recommender.CPUExplanation{
		Position:       recommender.BandUnknown,
		BandLowMillis:  float64(current) * e.params.CPUMinThreshold,
		BandHighMillis: float64(current) * e.params.CPUMaxThreshold,
		NeedMillis:     current,
	}

	if seen.CPUPeakMillis <= 0 {
		return cpu
	}

	peak := float64(seen.CPUPeakMillis)
	cpu.TargetMillis = size.Ceil(peak/e.target, size.MaxCPUMillis)

	switch {
	case peak < cpu.BandLowMillis:
		cpu.Position, cpu.NeedMillis = recommender.BandBelow, cpu.TargetMillis
	case peak > cpu.BandHighMillis:
		cpu.Position, cpu.NeedMillis = recommender.BandAbove, cpu.TargetMillis
	default:
		cpu.Position = recommender.BandWithin
	}

	return cpu
}
