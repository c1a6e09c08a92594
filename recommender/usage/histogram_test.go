package usage_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// The largest amounts of the Vertical Pod Autoscaler, 1,000 cores and 1 TB, lie in the last bucket but one.
func TestBucketCount(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		buckets usage.Buckets
		most    float64
	}{{usage.CPUBuckets(), 1e6}, {usage.MemoryBuckets(), 1e12}} {
		count := int(math.Ceil(math.Log(c.most*0.05/c.buckets.First+1)/math.Log(1.05))) + 1
		require.Equal(t, 176, count)
		require.Equal(t, count, c.buckets.Count)
		require.Equal(t, count-2, c.buckets.Index(c.most))
	}
}

// The numbers are those that version 1.8.1 of the Vertical Pod Autoscaler computes.
func TestBucketsAreThoseOfThePodAutoscaler(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		buckets usage.Buckets
		value   float64
		index   int
		start   float64
	}{
		{usage.CPUBuckets(), 5, 0, 0},
		{usage.CPUBuckets(), 11, 1, 10},
		{usage.CPUBuckets(), 100, 8, 95.491089},
		{usage.CPUBuckets(), 500, 25, 477.270988},
		{usage.CPUBuckets(), 1_000, 36, 958.363227},
		{usage.CPUBuckets(), 2_000, 49, 1_984.266626},
		{usage.CPUBuckets(), 3_300, 58, 3_188.514448},
		{usage.CPUBuckets(), 10_000, 80, 9_712.288213},
		{usage.CPUBuckets(), 64_000, 118, 63_094.691277},
		{usage.CPUBuckets(), 999_000, 174, 972_475.627528},
		{usage.CPUBuckets(), 5_000_000, 175, 1_021_109.408905},
		{usage.MemoryBuckets(), 1e6, 0, 0},
		{usage.MemoryBuckets(), 3e7, 2, 20_500_000},
		{usage.MemoryBuckets(), 1e9, 36, 958_363_227.194},
		{usage.MemoryBuckets(), 5.5e9, 68, 5_319_532_976.964},
		{usage.MemoryBuckets(), 64 * (1 << 30), 119, 66_259_425_841.372},
		{usage.MemoryBuckets(), 2e13, 175, 1_021_109_408_904.860},
	} {
		require.Equal(t, c.index, c.buckets.Index(c.value), c.value)
		require.InDelta(t, c.start, c.buckets.Start(c.index), 0.001)
	}
}

func TestIndexAndStartAreInverse(t *testing.T) {
	t.Parallel()

	for _, b := range []usage.Buckets{usage.CPUBuckets(), usage.MemoryBuckets(), {First: 1, Growth: 1.03, Count: 350}} {
		for i := range b.Count - 1 {
			require.Equal(t, i, b.Index(b.Start(i)*(1+1e-9)), "just above the start")
			require.Equal(t, i, b.Index(b.End(i)*(1-1e-9)), "just below the end")
			require.InEpsilon(t, b.Start(i+1), b.End(i), 1e-12)
		}

		require.Equal(t, b.Count-1, b.Index(b.Start(b.Count)), "the last bucket has no end")
		require.InEpsilon(t, b.Start(b.Count-1), b.End(b.Count-1), 1e-12)
	}
}

func TestIndexOfWhatIsNoAmount(t *testing.T) {
	t.Parallel()

	b := usage.CPUBuckets()
	require.Equal(t, 0, b.Index(math.NaN()))
	require.Equal(t, 0, b.Index(-1))
	require.Equal(t, 0, b.Index(math.Inf(-1)))
	require.Equal(t, b.Count-1, b.Index(math.Inf(1)))
	require.Equal(t, b.Count-1, b.Index(math.MaxFloat64))
}

func TestIndexIsMonotone(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		less, more := rapid.Float64Range(0, 1e16).Draw(t, "less"), rapid.Float64Range(0, 1e16).Draw(t, "more")
		if less > more {
			less, more = more, less
		}

		b := usage.MemoryBuckets()
		require.LessOrEqual(t, b.Index(less), b.Index(more))
		require.GreaterOrEqual(t, b.Index(less), 0)
		require.Less(t, b.Index(more), b.Count)
	})
}

// of spreads weights over the buckets of amounts.
func of(b usage.Buckets, weights map[float64]float64) *usage.Histogram {
	h := &usage.Histogram{Buckets: b, Weights: make([]float64, b.Count), Samples: 10}
	for amount, weight := range weights {
		h.Weights[b.Index(amount)] += weight
	}

	return h
}

// The load is 1 for 9 units of time and 10 for one: for 90 % of the time it is 1, but most work is done at 10.
func TestLoadAdjustedPercentile(t *testing.T) {
	t.Parallel()

	b := usage.Buckets{First: 0.01, Growth: 1.05, Count: 176}
	h := of(b, map[float64]float64{1: 0.9, 10: 0.1})
	one, ten := b.End(b.Index(1)), b.End(b.Index(10))

	require.InDelta(t, one, h.Percentile(0.9), 0)
	require.InDelta(t, ten, h.Percentile(0.91), 0)

	adjusted := h.LoadAdjusted()
	require.InDelta(t, ten, adjusted.Percentile(0.9), 0)
	require.InDelta(t, one, adjusted.Percentile(0.45), 0)
	require.InDelta(t, 10.0/19, adjusted.Weights[b.Index(10)], 0.01)
	require.InDelta(t, 0.9, h.Weights[b.Index(1)], 0, "the histogram itself stays")
	require.Zero(t, of(b, nil).LoadAdjusted().Percentile(0.9))
}

func TestPercentileOfWeightsThatAreRounded(t *testing.T) {
	t.Parallel()

	b := usage.CPUBuckets()
	h := of(b, nil)

	for i := range 12 {
		h.Weights[i] = 1.0 / 12 // Six of them add up to a little less than half of all.
	}

	require.InDelta(t, b.End(5), h.Percentile(0.5), 0)
	require.InDelta(t, b.End(6), h.Percentile(0.500001), 0)
	require.InDelta(t, b.End(11), h.Percentile(1), 0)
	require.InDelta(t, b.End(0), h.Percentile(0), 0)
}

func TestPercentileIgnoresWhatIsNoWeight(t *testing.T) {
	t.Parallel()

	b := usage.CPUBuckets()
	h := of(b, map[float64]float64{100: 0.5, 200: 0.5})
	h.Weights[0], h.Weights[b.Index(150)], h.Weights[b.Count-1] = -1, math.NaN(), math.NaN()

	require.InDelta(t, b.End(b.Index(100)), h.Percentile(0.5), 0)
	require.InDelta(t, b.End(b.Index(200)), h.Percentile(1), 0)
	require.False(t, h.Plausible(b))
	require.Zero(t, of(b, nil).Percentile(0.9))
	require.Zero(t, (&usage.Histogram{Buckets: b, Weights: []float64{-1, math.NaN()}}).Percentile(0.9))
}

func TestPlausible(t *testing.T) {
	t.Parallel()

	b := usage.CPUBuckets()
	require.True(t, of(b, map[float64]float64{100: 1}).Plausible(b))
	require.True(t, (&usage.Histogram{Buckets: b}).Plausible(b))
	require.False(t, of(b, nil).Plausible(usage.MemoryBuckets()), "other buckets")

	for name, breaks := range map[string]func(*usage.Histogram){
		"too long": func(h *usage.Histogram) { h.Weights = make([]float64, b.Count+1) },
		"negative": func(h *usage.Histogram) { h.Weights[3] = -0.1 },
		"NaN":      func(h *usage.Histogram) { h.Weights[3] = math.NaN() },
		"infinite": func(h *usage.Histogram) { h.Weights[3] = math.Inf(1) },
		"samples":  func(h *usage.Histogram) { h.Samples = -1 },
	} {
		h := of(b, map[float64]float64{100: 1})
		breaks(h)
		require.False(t, h.Plausible(b), name)
	}
}

func TestPercentileIsMonotone(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		h := of(usage.CPUBuckets(), rapid.MapOfN(rapid.Float64Range(1, 1e5), rapid.Float64Range(0, 1), 1, 20).Draw(t, "weights"))
		less, more := rapid.Float64Range(0, 1).Draw(t, "less"), rapid.Float64Range(0, 1).Draw(t, "more")
		require.LessOrEqual(t, h.Percentile(min(less, more)), h.Percentile(max(less, more)))
		require.LessOrEqual(t, h.Percentile(less), h.LoadAdjusted().Percentile(less), "work is done at higher levels than time is spent")
	})
}

func TestFreshness(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

	for name, c := range map[string]struct {
		newest, read time.Time
		stale        bool
	}{
		"fresh":                 {now.Add(-time.Minute), now, false},
		"just fresh":            {now.Add(-15 * time.Minute), now, false},
		"too old":               {now.Add(-15*time.Minute - 1), now, true},
		"none":                  {time.Time{}, now, true},
		"a little ahead":        {now.Add(time.Minute), now, false},
		"from the future":       {now.Add(15*time.Minute + 1), now, true},
		"by the store's clock":  {now.Add(-time.Hour), now.Add(-time.Hour), false},
		"no store's clock":      {now.Add(-time.Minute), time.Time{}, false},
		"no store's clock, old": {now.Add(-time.Hour), time.Time{}, true},
	} {
		s := usage.Snapshot{NewestSample: c.newest, ReadTime: c.read}
		require.Equal(t, c.stale, s.Stale(now, 15*time.Minute), name)
	}
}
