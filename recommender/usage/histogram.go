package usage

import (
	"math"
	"time"
)

// Buckets are the buckets of a decaying histogram: each is wider than the one before it by the same factor. The shape is
// that of the Kubernetes Vertical Pod Autoscaler's histograms.
type Buckets struct {
	// First is the width of the first bucket, in the unit of the samples; it starts at 0.
	First float64
	// Growth is how much wider each bucket is than the one before, above 1.
	Growth float64
	// Count is the number of buckets; the last one has no end.
	Count int
}

// CPUBuckets are those of the Vertical Pod Autoscaler for millicores: from 10 millicores to 1,000 cores, by 5 %.
func CPUBuckets() Buckets { return Buckets{First: 10, Growth: 1.05, Count: 176} }

// MemoryBuckets are those of the Vertical Pod Autoscaler for bytes: from 10 MB to 1 TB, by 5 %.
func MemoryBuckets() Buckets { return Buckets{First: 1e7, Growth: 1.05, Count: 176} }

// Index returns the bucket of a sample: floor(log_growth(value * (growth - 1) / first + 1)), within the histogram.
func (b Buckets) Index(value float64) int {
	if value < b.First || math.IsNaN(value) {
		return 0
	}

	index := math.Log(value*(b.Growth-1)/b.First+1) / math.Log(b.Growth)
	if index >= float64(b.Count) {
		return b.Count - 1
	}

	return int(index)
}

// Start returns where a bucket begins: first * (growth^index - 1) / (growth - 1).
func (b Buckets) Start(index int) float64 {
	return b.First * (math.Pow(b.Growth, float64(index)) - 1) / (b.Growth - 1)
}

// End returns where a bucket ends. The last bucket has no end, so its start is returned.
func (b Buckets) End(index int) float64 {
	if index >= b.Count-1 {
		return b.Start(b.Count - 1)
	}

	return b.Start(index + 1)
}

// Histogram is how samples spread over buckets, newer ones counting more.
type Histogram struct {
	// Buckets are the shape.
	Buckets Buckets
	// Weights holds the weight in each bucket; a shorter slice has nothing in the rest. All weights together are 1, or 0 when
	// there are no samples.
	Weights []float64
	// Samples is how many samples went in.
	Samples int64
	// First and Last are the times of the oldest and the newest sample; zero when there is none.
	First, Last time.Time
}

// noise is the share of all weight that a sum of weights may lack for being rounded.
const noise = 1e-12

// Percentile returns the end of the bucket up to which the share of the weight lies, and 0 of an empty histogram. There
// is no interpolation. The last bucket has no end, so its start is returned. Weights that are negative or no number do
// not count.
func (h *Histogram) Percentile(share float64) float64 {
	total, last := 0.0, 0

	for i, weight := range h.Weights {
		if weight > 0 {
			total += weight
			last = i
		}
	}

	if total <= 0 {
		return 0
	}

	sum := 0.0

	for i, weight := range h.Weights[:last] {
		if weight > 0 {
			sum += weight
		}

		if sum > 0 && sum >= total*(share-noise) {
			return h.Buckets.End(i)
		}
	}

	return h.Buckets.End(last)
}

// LoadAdjusted returns the histogram with each sample weighed by its own amount, too: its percentiles are of all work
// done, and not of all time. It is the load-adjusted histogram of Google's Autopilot (EuroSys 2020, section 3.2.1). A
// sample's amount is the middle of its bucket.
func (h *Histogram) LoadAdjusted() *Histogram {
	adjusted := *h
	adjusted.Weights = make([]float64, len(h.Weights))

	total, start := 0.0, 0.0

	for i, weight := range h.Weights {
		end := start*h.Buckets.Growth + h.Buckets.First

		if weight > 0 {
			adjusted.Weights[i] = weight * (start + end) / 2
			total += adjusted.Weights[i]
		}

		start = end
	}

	for i := range adjusted.Weights {
		if total > 0 {
			adjusted.Weights[i] /= total
		}
	}

	return &adjusted
}

// Plausible reports that the histogram is one of the given shape, without a weight that cannot be true.
func (h *Histogram) Plausible(b Buckets) bool {
	if h.Buckets != b || len(h.Weights) > b.Count || h.Samples < 0 {
		return false
	}

	for _, weight := range h.Weights {
		// Written so that NaN is wrong.
		if !(weight >= 0 && weight <= math.MaxFloat64) {
			return false
		}
	}

	return true
}
