package usage

import (
	"math"
	"time"
)

// maxExponent is how far weights may grow before they are all made smaller; powers of two beyond it lose no digits but
// would run out of range some day.
const maxExponent = 100

// Accumulator builds the histogram of one replica from samples as they come: after each of them the histogram is what it
// would be if it were built from all samples at once. A sample costs the same however many there were. The peak of a
// stretch counts until its sample, the first one of the highest, is older than the span. It loses weight with its stretch:
// two peaks of neighbouring days are a day apart, whatever the hours were.
//
// A sample never loses weight. Instead, each one weighs more than those before: 2^((time - reference) / half-life), which
// after division by the sum of all weights is the same.
type Accumulator struct {
	shape     HistogramShape
	span      time.Duration
	parts     []decaying // One per decay.
	counts    []int      // Samples in each bucket.
	samples   []sample   // Those within the span, oldest first; the ones before head are gone.
	head      int
	reference int64 // Nanoseconds since 1970; 0 before the first sample.
	histogram Histogram
}

// decaying is the histogram by one half-life.
type decaying struct {
	Decay

	weights []float64
}

type sample struct {
	at     int64 // Nanoseconds since 1970.
	ages   int64 // From when on it loses weight: at, or the beginning of its stretch.
	value  float64
	bucket int
}

// NewAccumulator returns an empty one for samples that count for as long as the span, which is not shorter than the
// shape's PeakInterval.
func NewAccumulator(shape HistogramShape, span time.Duration) *Accumulator {
	a := &Accumulator{shape: shape, span: span, counts: make([]int, shape.Buckets.Count)}
	a.histogram = Histogram{Buckets: shape.Buckets, Weights: make([]float64, shape.Buckets.Count)}

	for _, decay := range shape.Decays {
		a.parts = append(a.parts, decaying{decay, make([]float64, shape.Buckets.Count)})
	}

	return a
}

// Add takes a sample, in the unit of the buckets. Samples must come in the order of their times.
func (a *Accumulator) Add(at time.Time, value float64) {
	s := sample{at.UnixNano(), a.stretch(at.UnixNano()), value, a.shape.Buckets.Index(value)}

	if newest := len(a.samples) - 1; newest >= a.head && a.shape.PeakInterval > 0 && a.samples[newest].ages == s.ages {
		if value <= a.samples[newest].value {
			return
		}

		a.weigh(a.samples[newest], -1)
		a.samples = a.samples[:newest]
	}

	a.rebase(s.ages)
	a.samples = append(a.samples, s)
	a.weigh(s, +1)
}

// stretch returns the beginning of the stretch of which only the highest sample counts; the time itself when all do.
func (a *Accumulator) stretch(at int64) int64 {
	if length := int64(a.shape.PeakInterval); length > 0 {
		return at - at%length
	}

	return at
}

// Histogram returns the histogram of the samples that are not older than the span. It is valid until the next call, and
// the time must not go back from one call to the next.
func (a *Accumulator) Histogram(now time.Time) *Histogram {
	a.expire(now.Add(-a.span).UnixNano())

	h := &a.histogram
	h.Samples, h.First, h.Last = int64(len(a.samples)-a.head), time.Time{}, time.Time{}
	clear(h.Weights)

	if h.Samples == 0 {
		return h
	}

	h.First, h.Last = time.Unix(0, a.samples[a.head].at).UTC(), time.Unix(0, a.samples[len(a.samples)-1].at).UTC()

	for _, part := range a.parts {
		total := 0.0
		for _, weight := range part.weights {
			total += weight
		}

		scale := part.Share / total
		for i, weight := range part.weights {
			h.Weights[i] += weight * scale
		}
	}

	return h
}

// weigh adds a sample to every part, or takes it out again.
func (a *Accumulator) weigh(s sample, sign int) {
	a.counts[s.bucket] += sign

	for _, part := range a.parts {
		weight := part.weights[s.bucket] + float64(sign)*math.Exp2(float64(s.ages-a.reference)/float64(part.HalfLife))

		// What rounding leaves behind is not a sample.
		if a.counts[s.bucket] == 0 {
			weight = 0
		}

		part.weights[s.bucket] = max(weight, 0)
	}
}

// expire forgets the samples before a time.
func (a *Accumulator) expire(before int64) {
	for ; a.head < len(a.samples) && a.samples[a.head].at < before; a.head++ {
		a.weigh(a.samples[a.head], -1)
	}

	// The room of those that are gone is used again once they are the greater part.
	if a.head > len(a.samples)/2 {
		a.samples = a.samples[:copy(a.samples, a.samples[a.head:])]
		a.head = 0
	}
}

// rebase moves the reference when weights have grown much.
func (a *Accumulator) rebase(at int64) {
	if a.reference == 0 {
		a.reference = at
	}

	grown := false
	for _, part := range a.parts {
		grown = grown || float64(at-a.reference) > maxExponent*float64(part.HalfLife)
	}

	if !grown {
		return
	}

	for _, part := range a.parts {
		factor := math.Exp2(-float64(at-a.reference) / float64(part.HalfLife))
		for i := range part.weights {
			part.weights[i] *= factor
		}
	}

	a.reference = at
}
