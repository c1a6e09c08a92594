package usage_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

var midnight = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func shape(interval time.Duration, decays ...usage.Decay) usage.HistogramShape {
	return usage.HistogramShape{Buckets: usage.CPUBuckets(), Decays: decays, PeakInterval: interval}
}

// The percentiles are those that version 1.8.1 of the Vertical Pod Autoscaler computes from the same samples.
func TestPercentilesAreThoseOfThePodAutoscaler(t *testing.T) {
	t.Parallel()

	a := usage.NewAccumulator(shape(0, usage.Decay{HalfLife: day, Share: 1}), 8*day)
	now := midnight

	for i := range 6 * 288 {
		now = midnight.Add(time.Duration(i) * 5 * time.Minute)
		a.Add(now, 1000*(float64(i*7919%1000)/250+0.02))
	}

	h := a.Histogram(now)
	for share, want := range map[float64]float64{
		0.1: 445.019989, 0.5: 2_093.479957, 0.9: 3_722.629038, 0.95: 3_918.760490, 0.99: 4_124.698514, 1: 4_124.698514,
	} {
		require.InDelta(t, want, h.Percentile(share), 1e-6)
	}
}

// A use that rises for good shows in the 90th percentile after 24 h * log2(1 / 0.9) = 3.65 h.
func TestReactionTime(t *testing.T) {
	t.Parallel()

	for hours, want := range map[int]float64{2: 1_016.281389, 3: 1_016.281389, 4: 4_124.698514, 5: 4_124.698514} {
		a := usage.NewAccumulator(shape(0, usage.Decay{HalfLife: day, Share: 1}), 14*day)
		now := midnight

		for i := range 8*288 + hours*12 {
			now = midnight.Add(time.Duration(i) * 5 * time.Minute)

			value := 1_000.0
			if i >= 8*288 {
				value = 4_000
			}

			a.Add(now, value)
		}

		require.InDelta(t, want, a.Histogram(now).Percentile(0.9), 1e-6, "%d hours", hours)
	}
}

// A lone peak holds the 90th percentile of daily peaks for about three days.
func TestALonePeakIsForgotten(t *testing.T) {
	t.Parallel()

	a := usage.NewAccumulator(shape(day, usage.Decay{HalfLife: day, Share: 1}), 8*day)

	seen := make([]bool, 0, 10)

	for d := range cap(seen) {
		for hour := range 24 {
			value := 1_000.0
			if d == 2 && hour == 12 {
				value = 9_000
			}

			a.Add(midnight.Add(time.Duration(d*24+hour)*time.Hour), value)
		}

		now := midnight.Add(time.Duration(d+1) * day)
		h := a.Histogram(now)
		require.EqualValues(t, min(d+1, 8), h.Samples)

		seen = append(seen, h.Percentile(0.9) > 9_000)
	}

	require.Equal(t, []bool{false, false, true, true, true, false, false, false, false, false}, seen)
}

// naive builds the histogram from all samples at once, by the definition.
func naive(shape usage.HistogramShape, span time.Duration, times []time.Time, values []float64, now time.Time) usage.Histogram {
	if shape.PeakInterval > 0 {
		times, values = peaks(shape.PeakInterval, times, values)
	}

	h := usage.Histogram{Buckets: shape.Buckets, Weights: make([]float64, shape.Buckets.Count)}

	for _, decay := range shape.Decays {
		weights, total := make([]float64, shape.Buckets.Count), 0.0

		for i, at := range times {
			if age := now.Sub(at); age <= span {
				if shape.PeakInterval > 0 {
					age += time.Duration(at.UnixNano() % int64(shape.PeakInterval)) // a stretch ages as one
				}

				weight := math.Exp2(-age.Hours() / decay.HalfLife.Hours())
				weights[shape.Buckets.Index(values[i])] += weight
				total += weight
			}
		}

		for i, weight := range weights {
			if total > 0 {
				h.Weights[i] += weight / total * decay.Share
			}
		}
	}

	for _, at := range times {
		if now.Sub(at) <= span {
			if h.Samples == 0 {
				h.First = at
			}

			h.Samples++
			h.Last = at
		}
	}

	return h
}

// peaks keeps the first highest sample of each stretch.
func peaks(interval time.Duration, times []time.Time, values []float64) ([]time.Time, []float64) {
	var (
		at      []time.Time
		highest []float64
		last    int64
	)

	for i, sample := range times {
		stretch := sample.UnixNano() / int64(interval)

		switch newest := len(at) - 1; {
		case newest < 0 || stretch != last:
			at, highest, last = append(at, sample), append(highest, values[i]), stretch
		case values[i] > highest[newest]:
			at[newest], highest[newest] = sample, values[i]
		}
	}

	return at, highest
}

func TestSamplesAsTheyComeGiveTheSameAsAllAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom([]usage.HistogramShape{
			shape(0, usage.Decay{HalfLife: day, Share: 1}),
			shape(0, usage.Decay{HalfLife: time.Hour, Share: 0.25}, usage.Decay{HalfLife: 3 * day, Share: 0.75}),
			shape(day, usage.Decay{HalfLife: day, Share: 1}),
			shape(7*time.Hour, usage.Decay{HalfLife: 10 * time.Minute, Share: 1}),
		}).Draw(t, "shape")
		span := rapid.SampledFrom([]time.Duration{time.Hour, day, 8 * day}).Draw(t, "span")
		span = max(span, of.PeakInterval)
		a := usage.NewAccumulator(of, span)
		steps := rapid.IntRange(1, 100).Draw(t, "steps")
		times, values := make([]time.Time, 0, steps), make([]float64, 0, steps)
		now := midnight

		for range steps {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{1, 5, 60, 600, 20_000}).Draw(t, "minutes")) * time.Minute)
			value := rapid.Float64Range(1, 1e5).Draw(t, "value")
			times, values = append(times, now), append(values, value)
			a.Add(now, value)

			if rapid.Bool().Draw(t, "look") {
				now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, 2 * time.Hour}).Draw(t, "later"))
				got, want := a.Histogram(now), naive(of, span, times, values, now)

				require.InDeltaSlice(t, want.Weights, got.Weights, 1e-9)
				require.Equal(t, want.Samples, got.Samples)
				require.Equal(t, want.First, got.First)
				require.Equal(t, want.Last, got.Last)
				require.True(t, got.Plausible(of.Buckets))
			}
		}
	})
}

// Years of samples run out of neither numbers nor room, and what has left the span leaves nothing behind.
func TestAccumulatorForYears(t *testing.T) {
	t.Parallel()

	a := usage.NewAccumulator(shape(0, usage.Decay{HalfLife: time.Hour, Share: 0.5}, usage.Decay{HalfLife: day, Share: 0.5}), 8*day)
	now := midnight

	for hour := range 24 * 365 * 3 {
		now = midnight.Add(time.Duration(hour) * time.Hour)
		a.Add(now, float64(100+hour%1000*10))

		if hour%100 == 0 {
			total := 0.0
			for _, weight := range a.Histogram(now).Weights {
				total += weight
			}

			require.InDelta(t, 1, total, 1e-9)
		}
	}

	for i := range 8*24 + 1 {
		now = now.Add(time.Hour)
		a.Add(now, 50)

		if i == 8*24 {
			require.Equal(t, []float64{1}, slices.DeleteFunc(slices.Clone(a.Histogram(now).Weights), func(w float64) bool { return w == 0 }))
		}
	}

	require.Zero(t, a.Histogram(now.Add(9*day)).Samples)
	require.Zero(t, a.Histogram(now.Add(9*day)).Percentile(1))
}

func BenchmarkAccumulator(b *testing.B) {
	a := usage.NewAccumulator(shape(0, usage.Decay{HalfLife: day, Share: 1}), 8*day)
	now := midnight

	b.ReportAllocs()

	for b.Loop() {
		now = now.Add(5 * time.Minute)
		a.Add(now, float64(100+now.Minute()))
		a.Histogram(now)
	}
}
