package history

import (
	"slices"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// resident is the resident memory of the largest replica by age, in bytes; negative in a minute without a sample.
type resident []float64

func (h *History) largest(replicas []*replica) resident {
	bytes := make(resident, h.plan.longest()+lookBack)
	for age := range bytes {
		bytes[age] = -1
	}

	for _, r := range replicas {
		r.eachResident(h, func(age int64, value float64) {
			if age < int64(len(bytes)) {
				bytes[age] = max(bytes[age], value)
			}
		})
	}

	return bytes
}

// addResident adds the peak of the resident memory, and the median over the minutes of the largest replica's.
func (b resident) addResident(lengths []int64, windows []usage.Window) {
	known := make([]float64, 0, len(b))
	next := int64(0)

	for i, length := range lengths {
		for ; next < length; next++ {
			if b[next] >= 0 {
				known = append(known, b[next])
			}
		}

		// Each window has the minutes of the shorter ones and more.
		slices.Sort(known)

		if len(known) > 0 {
			windows[i].ResidentMemoryPeakBytes = int64(known[len(known)-1])
			windows[i].ResidentMemoryMedianBytes = halfUp(middle(known))
		}
	}
}

// near returns the bytes in a minute, or in the one before when it has no sample; 0 when that has none either.
func (b resident) near(age int64) int64 {
	if b[age] < 0 {
		age++
	}

	return int64(max(b[age], 0))
}
