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
	stretch, now := &e.proposal.State.Saturated, e.in.Now

	if newest <= 0 || newest < e.params.Saturation*allocation {
		*stretch = recommender.Stretch{}

		return 0
	}

	// After a while in which nobody looked, or another recommender did, it begins anew.
	if stretch.Since.After(now) || !recommender.Within(stretch.Seen, now, max(e.params.SaturationPatience, time.Minute)+1) {
		stretch.Since = now
	}

	stretch.Seen = now

	// What a new size is worth has to be seen first.
	if risen := e.in.State.Scaling.CPUUpTime; risen.After(stretch.Since) && !risen.After(now) {
		stretch.Since = risen
	}

	if now.Sub(stretch.Since) < e.params.SaturationPatience {
		return 0
	}

	need := size.Ceil(max(newest, allocation)*e.params.SaturationMultiplier, size.MaxCPUMillis)
	e.fact("cpu_saturated_need_millis", float64(need))
	e.proposal.Because(recommender.ReasonCPUSaturated)

	return need
}
