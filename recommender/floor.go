package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyFloor keeps the need above the floor. It raises nothing: what a service needs more of is for the recommender to
// say.
func (o *outcome) applyFloor() {
	raised := o.need.Max(FloorOf(o.in))
	if raised == o.need {
		return
	}

	o.adjustments = policy.Record(o.adjustments, policy.StageFloor, o.need, o.need, raised)
	o.need = raised
	o.because(ReasonFloor)
}

// FloorOf returns what the peaks of the policy's floor window keep the allocation from falling below; never more than the
// allocation, and 0 without a floor. A resource whose peak is not known does not fall: its peak may have been any. A recommender needs it only where it must know beforehand what will be held.
func FloorOf(in *Input) size.Resources {
	floor := in.Policy.Floor
	if floor.Window <= 0 {
		return size.Resources{}
	}

	seen, _ := in.Usage.Window(floor.Window)
	seen, _ = seen.Plausible()
	peaks := size.Resources{
		CPUMillis:   size.Ceil(float64(seen.CPUPeakMillis)/floor.CPUUtilisation, size.MaxCPUMillis),
		MemoryBytes: size.Ceil(float64(seen.ResidentMemoryPeakBytes)*floor.MemoryMultiplier, size.MaxMemoryBytes),
	}

	allocation := in.Allocation.Resources()

	for _, resource := range size.Both() {
		if peaks.Get(resource) == 0 {
			peaks = peaks.Set(resource, allocation.Get(resource))
		}
	}

	return peaks.Min(allocation)
}
