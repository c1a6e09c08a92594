package history

import (
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// eachFunc calls visit for each minute of a replica that has a value, the oldest first.
type eachFunc func(r *replica, h *History, visit func(age int64, value float64))

// histogram sorts the samples of all replicas. With several decays it is the mixture of those that each would give. A peak
// of an interval ages with the interval's end, as in the Vertical Pod Autoscaler.
func (s *shape) histogram(h *History, replicas []*replica, each eachFunc, unit float64) *usage.Histogram {
	histogram := &usage.Histogram{Buckets: s.buckets}
	oldest, newest := int64(-1), h.plan.span // ages

	for _, r := range replicas {
		each(r, h, func(age int64, _ float64) {
			if age < h.plan.span {
				oldest, newest = max(oldest, age), min(newest, age)
			}
		})
	}

	if oldest < 0 {
		return histogram
	}

	histogram.First = at((h.thisMinute - oldest) * millisOfMinute)
	histogram.Last = at((h.thisMinute - newest) * millisOfMinute)

	weighed := s.scale((h.thisMinute - newest) / s.interval)

	for _, r := range replicas {
		interval, peak := int64(-1), 0.0

		each(r, h, func(age int64, value float64) {
			if age >= h.plan.span {
				return
			}

			if own := (h.thisMinute - age) / s.interval; own != interval {
				weighed.add(interval, peak)

				interval, peak = own, 0
			}

			peak = max(peak, value/unit)
		})
		weighed.add(interval, peak)
	}

	histogram.Samples = weighed.samples
	histogram.Weights = weighed.mixed()

	return histogram
}

// scale weighs samples.
type scale struct {
	*shape

	newest  int64     // interval
	parts   []float64 // the buckets of one decay after the other
	totals  []float64 // the weight of all samples, by decay
	samples int64
}

func (s *shape) scale(newest int64) *scale {
	return &scale{
		shape: s, newest: newest,
		parts: make([]float64, len(s.decays)*s.buckets.Count), totals: make([]float64, len(s.decays)),
	}
}

// add takes the peak of an interval, counted since the epoch; a negative one is none.
func (s *scale) add(interval int64, peak float64) {
	if interval < 0 {
		return
	}

	s.samples++
	bucket := s.buckets.Index(peak)

	for i := range s.decays {
		weight := s.decays[i].weights[s.newest-interval]
		s.parts[i*s.buckets.Count+bucket] += weight
		s.totals[i] += weight
	}
}

// mixed returns the weight in each bucket; all together are the sum of the shares.
func (s *scale) mixed() []float64 {
	mixed := make([]float64, s.buckets.Count)

	for i, d := range s.decays {
		for bucket := range mixed {
			mixed[bucket] += d.share * s.parts[i*s.buckets.Count+bucket] / s.totals[i]
		}
	}

	return mixed
}
