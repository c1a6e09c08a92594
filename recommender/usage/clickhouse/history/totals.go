package history

import "github.com/tidemark-project/tidemark/recommender/usage"

// totals is the sum over all replicas, by age.
//
// A minute counts when any replica has a sample in it. A replica that has none then stands with its value before, as
// long as its samples lie at most lookBack minutes apart; so it does in the newest minutes, for which it may not have
// been sampled yet. That last part is kept by itself: a replica that has just gone away looks the same.
type totals struct {
	sum     []float64
	sampled []bool
	waiting [lookBack]float64
}

// total adds a quantity up.
func (h *History) total(replicas []*replica, each eachFunc) *totals {
	size := h.plan.longest() + lookBack
	t := &totals{sum: make([]float64, size), sampled: make([]bool, size)}

	for _, r := range replicas {
		before, value := size, 0.0 // older than all, and nothing to stand in

		each(r, h, func(age int64, next float64) {
			if age >= size {
				return
			}

			for missing := before - 1; before-age <= lookBack && missing > age; missing-- {
				t.sum[missing] += value
			}

			t.sum[age] += next
			t.sampled[age] = true
			before, value = age, next
		})

		for missing := before - 1; before < lookBack && missing >= 0; missing-- {
			t.waiting[missing] += value
		}
	}

	return t
}

// full is the sum with the replicas that wait to be sampled.
func (t *totals) full(age int64) float64 {
	if age < lookBack {
		return t.sum[age] + t.waiting[age]
	}

	return t.sum[age]
}

// each calls visit for each minute that counts, the oldest first, with the full sum.
func (t *totals) each(visit func(age int64, sum float64)) {
	for age := int64(len(t.sum)) - 1; age >= 0; age-- {
		if t.sampled[age] {
			visit(age, t.full(age))
		}
	}
}

// addCPUTotals adds the highest and the lowest rolling median of the sum. That replicas wait to be sampled or have gone
// away concerns so few of the ten minutes that it does not move the median.
func (h *History) addCPUTotals(replicas []*replica, windows []usage.Window) {
	sums := h.total(replicas, (*replica).eachCPU)
	medians := newExtremes(h.plan.windows)
	medians.add(sums.each)

	for i := range windows {
		windows[i].CPUTotalPeakMillis = medians.highest(i, nanosOfMilli)
		windows[i].CPUTotalLowMillis = medians.lowest(i, nanosOfMilli)
	}
}

// addResidentTotals adds the highest and the lowest sum of the resident memory. The highest is without the replicas that
// wait to be sampled, or every restart would count a replica twice; the lowest is with them, or it would dip in every
// minute that has just begun.
func (h *History) addResidentTotals(replicas []*replica, windows []usage.Window) {
	sums := h.total(replicas, (*replica).eachResident)
	age := int64(0)

	var high, low float64

	seen := false

	for i, length := range h.plan.windows {
		for ; age < length; age++ {
			if !sums.sampled[age] {
				continue
			}

			high = max(high, sums.sum[age])

			if full := sums.full(age); !seen || full < low {
				low = full
			}

			seen = true
		}

		if seen {
			windows[i].ResidentMemoryTotalPeakBytes = max(1, int64(high))
			windows[i].ResidentMemoryTotalLowBytes = max(1, int64(low))
		}
	}
}
