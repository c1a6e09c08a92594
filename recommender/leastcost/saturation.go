package leastcost

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// saturated returns the CPU to ask for when use has been at the allocation for long enough, else 0. What more would be
// used than there is cannot be seen: a service at its limit looks content.
func (e *evaluation) saturated() int64 {
	newest, allocation := float64(e.newest.CPUPeakMillis), float64(e.in.Allocation.CPUMillis)
	since := &e.proposal.State.Saturated

	if newest <= 0 || newest < e.params.Saturation*allocation {
		*since = time.Time{}

		return 0
	}

	if since.IsZero() || since.After(e.in.Now) {
		*since = e.in.Now
	}

	// What a new size is worth has to be seen first.
	if risen := e.in.State.Scaling.CPUUpTime; risen.After(*since) && !risen.After(e.in.Now) {
		*since = risen
	}

	if e.in.Now.Sub(*since) < e.params.SaturationPatience {
		return 0
	}

	need := ceil(max(newest, allocation)*e.params.SaturationMultiplier, size.MaxCPUMillis)
	e.fact("cpu_saturated_need_millis", float64(need))
	e.proposal.Because(recommender.ReasonCPUSaturated)

	return need
}
