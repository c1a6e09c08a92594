package recommender

import (
	"math"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyFloor keeps the need above the peaks of the policy's floor window, as far as that keeps the allocation from
// falling. It raises nothing: what a service needs more of is for the recommender to say.
func (o *outcome) applyFloor() {
	floor := o.in.Policy.Floor
	if floor.Window <= 0 {
		return
	}

	seen, ok := o.in.Usage.Window(floor.Window)
	if !ok {
		return
	}

	seen, _ = seen.Plausible()
	peaks := size.Resources{
		CPUMillis:   ceilTo(float64(seen.CPUPeakMillis)/floor.CPUUtilisation, size.MaxCPUMillis),
		MemoryBytes: ceilTo(float64(seen.ResidentMemoryPeakBytes)*floor.MemoryMultiplier, size.MaxMemoryBytes),
	}

	raised := o.need.Max(peaks.Min(o.allocation))
	if raised == o.need {
		return
	}

	o.adjustments = policy.Record(o.adjustments, policy.StageFloor, o.need, o.need, raised)
	o.need = raised
	o.because(ReasonFloor)
}

// ceilTo rounds up to a whole unit and at most to limit; what is no number counts as 0.
func ceilTo(amount float64, limit int64) int64 {
	switch {
	case math.IsNaN(amount) || amount <= 0:
		return 0
	case amount >= float64(limit):
		return limit
	default:
		return int64(math.Ceil(amount))
	}
}
