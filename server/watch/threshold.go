package watch

import tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"

// changesBy reports that a recommendation changes CPU, memory or replicas by at least so many percent of what they are.
func changesBy(r *tidemarkv1.Recommendation, percent float64) bool {
	from, to := r.GetAllocation(), r.GetRecommended()

	return differsBy(from.GetCpuMillis(), to.GetCpuMillis(), percent) ||
		differsBy(from.GetMemoryBytes(), to.GetMemoryBytes(), percent) ||
		differsBy(int64(from.GetReplicas()), int64(to.GetReplicas()), percent)
}

// differsBy reports that one amount differs from another by at least so many percent of that, where 0 is not known:
// without a recommendation there is no change, and one where nothing was known of is larger than any percentage.
func differsBy(from, to int64, percent float64) bool {
	const hundred = 100

	switch {
	case to == 0:
		return false
	case from == 0:
		return true
	default:
		// As floating-point numbers, since the products may be too large for integers. The quotient is rounded as the
		// percentage was when it was written down: 33 of 3,000 are 1.1 percent, while 1.1*3000 is a little more than 3,300.
		difference := float64(to) - float64(from)

		return max(difference, -difference)*hundred/float64(from) >= percent
	}
}
