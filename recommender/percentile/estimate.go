package percentile

import (
	"math"

	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// day is the unit of confidence, in hours.
const day = 24.0

// Confidence returns how many days of history a histogram stands for: the time between its first and its last sample, but
// not more than its samples would fill.
func Confidence(h *usage.Histogram, samplesPerDay float64) float64 {
	if h.First.IsZero() || h.Samples <= 0 {
		return 0
	}

	return min(max(h.Last.Sub(h.First).Hours(), 0)/day, float64(h.Samples)/samplesPerDay)
}

// LowerMultiplier is what the lower bound is multiplied by at a confidence in days: (1 + 0.001/c)^-2. It is 0 without any
// history, and comes near 1 within the hour.
func LowerMultiplier(confidence float64) float64 {
	return math.Pow(1+0.001/confidence, -2)
}

// UpperMultiplier is what the upper bound is multiplied by at a confidence in days: 1 + 1/c. It is infinite without any
// history, 2 after a day and 1.14 after a week.
func UpperMultiplier(confidence float64) float64 {
	return 1 + 1/confidence
}

// OOMNeed returns the memory that is needed when a process that used so much was killed for lack of it, in bytes:
// max(used + minimum, used * ratio).
func OOMNeed(used, minimum int64, ratio float64) int64 {
	return max(min(used+minimum, size.MaxMemoryBytes), size.Ceil(float64(used)*ratio, size.MaxMemoryBytes))
}
