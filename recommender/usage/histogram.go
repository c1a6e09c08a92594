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

	return min(int(math.Log(value*(b.Growth-1)/b.First+1)/math.Log(b.Growth)), b.Count-1)
}

// Start returns where a bucket begins: first * (growth^index - 1) / (growth - 1).
func (b Buckets) Start(index int) float64 {
	return b.First * (math.Pow(b.Growth, float64(index)) - 1) / (b.Growth - 1)
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

// Percentile returns the end of the bucket up to which the share of the weight lies, and 0 of an empty histogram. There
// is no interpolation. The last bucket has no end, so its start is returned.
func (h *Histogram) Percentile(share float64) float64 {
	total := 0.0
	last := 0

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
	at := 0

	for ; at < last; at++ {
		sum += max(h.Weights[at], 0)
		if sum >= share*total {
			break
		}
	}

	if at >= h.Buckets.Count-1 {
		return h.Buckets.Start(at)
	}

	return h.Buckets.Start(at + 1)
}
