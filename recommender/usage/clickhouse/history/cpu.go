package history

import "github.com/tidemark-project/tidemark/recommender/usage"

// nanosOfMilli is how many billionths of a core make a thousandth.
const nanosOfMilli = 1e6

// addCPU adds the peaks of CPU: the highest of any replica.
func (h *History) addCPU(replicas []*replica, windows []usage.Window) {
	peaks := newExtremes(h.plan.windows)

	for _, r := range replicas {
		peaks.add(func(visit func(int64, float64)) { r.eachCPU(h, visit) })
	}

	for i := range windows {
		windows[i].CPUPeakMillis = peaks.highest(i, nanosOfMilli)
	}
}

// addCoverage adds the share of each window's buckets in which CPU and resident memory are both known: a service of which
// only one is known must not be taken for one that does not use the other.
func (h *History) addCoverage(replicas []*replica, windows []usage.Window) {
	buckets := h.plan.Reach()/bucket + 1
	cpu, resident := make([]bool, buckets), make([]bool, buckets)

	for _, r := range replicas {
		r.eachCPU(h, func(age int64, _ float64) { cpu[age/bucket] = true })
		r.eachResident(h, func(age int64, _ float64) { resident[age/bucket] = true })
	}

	covered := 0
	next := int64(0)

	for i, window := range h.plan.windows {
		for ; next < window/bucket; next++ {
			if cpu[next] && resident[next] {
				covered++
			}
		}

		windows[i].Coverage = float64(covered) / float64(window/bucket)
	}
}
