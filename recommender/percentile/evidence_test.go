package percentile_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// faults are ways in which data can be bad, and the reason that is then given.
var faults = map[string]struct {
	breaks func(*usage.Snapshot)
	reason recommender.Reason
}{
	"no window":       {func(s *usage.Snapshot) { s.Windows = nil }, recommender.ReasonNoData},
	"empty window":    {func(s *usage.Snapshot) { s.Windows[0] = usage.Window{Length: day} }, recommender.ReasonNoData},
	"sparse":          {func(s *usage.Snapshot) { s.Windows[0].Coverage = 0.79 }, recommender.ReasonLowCoverage},
	"coverage NaN":    {func(s *usage.Snapshot) { s.Windows[0].Coverage = math.NaN() }, recommender.ReasonImplausibleData},
	"coverage absurd": {func(s *usage.Snapshot) { s.Windows[0].Coverage = 7 }, recommender.ReasonImplausibleData},
	"stale":           {func(s *usage.Snapshot) { s.NewestSample = noon.Add(-16 * time.Minute) }, recommender.ReasonStaleData},
	"from the future": {func(s *usage.Snapshot) { s.NewestSample = noon.Add(time.Hour) }, recommender.ReasonStaleData},
	"no sample":       {func(s *usage.Snapshot) { s.NewestSample = time.Time{} }, recommender.ReasonStaleData},
	"no histograms":   {func(s *usage.Snapshot) { s.CPUHistogram, s.MemoryHistogram = nil, nil }, recommender.ReasonCPUUnknown},
	"empty histograms": {func(s *usage.Snapshot) {
		s.CPUHistogram = &usage.Histogram{Buckets: usage.CPUBuckets()}
		s.MemoryHistogram = &usage.Histogram{Buckets: usage.MemoryBuckets()}
	}, recommender.ReasonMemoryUnknown},
	"other buckets": {func(s *usage.Snapshot) {
		s.CPUHistogram.Buckets.Growth, s.MemoryHistogram.Buckets.First = 1.5, 1
	}, recommender.ReasonImplausibleData},
	"weights NaN": {func(s *usage.Snapshot) {
		s.CPUHistogram.Weights[3], s.MemoryHistogram.Weights[3] = math.NaN(), math.NaN()
	}, recommender.ReasonImplausibleData},
	"weights negative": {func(s *usage.Snapshot) {
		s.CPUHistogram.Weights[3], s.MemoryHistogram.Weights[3] = -1, -1
	}, recommender.ReasonImplausibleData},
}

func TestBadDataLowersNothing(t *testing.T) {
	t.Parallel()
	require.Less(t, recommender.Decide(rule(t), steady(1_000, 4e9)).Recommended.CPUMillis, int64(2_000), "good data does")

	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := steady(1_000, 4e9)
			fault.breaks(&in.Usage)

			got := recommender.Decide(rule(t), in)
			require.Equal(t, in.Allocation, got.Recommended)
			require.Contains(t, got.Reasons, fault.reason)
			require.Contains(t, []recommender.Status{recommender.StatusHold, recommender.StatusInsufficientData}, got.Status)
		})
	}
}

func TestOneResourceUnknown(t *testing.T) {
	t.Parallel()

	in := steady(1_000, 4e9)
	in.Usage.CPUHistogram = &usage.Histogram{Buckets: usage.CPUBuckets()}

	got := recommender.Decide(rule(t), in)
	require.Equal(t, in.Allocation.CPUMillis, got.Recommended.CPUMillis)
	require.Equal(t, up(memoryEnd(4e9)*1.15), got.Recommended.MemoryBytes)
	require.Equal(t, recommender.StatusOK, got.Status)

	in = steady(1_000, 4e9)
	in.Usage.Windows[0].CPUPeakMillis = 0

	got = recommender.Decide(rule(t), in)
	require.Equal(t, in.Allocation.CPUMillis, got.Recommended.CPUMillis, "the last day saw no CPU")

	in = steady(1_000, 4e9)
	in.Usage.Windows[0].ResidentMemoryPeakBytes = 0

	got = recommender.Decide(rule(t), in)
	require.Equal(t, up(cpuEnd(1_000)*1.15), got.Recommended.CPUMillis)
	require.Equal(t, in.Allocation.MemoryBytes, got.Recommended.MemoryBytes, "the last day saw no memory")
}

// What was seen is a lower bound of the need, however little was seen.
func TestAnyUseRaises(t *testing.T) {
	t.Parallel()

	for name, breaks := range map[string]func(*usage.Snapshot){
		"sparse": func(s *usage.Snapshot) { s.Windows[0].Coverage = 0.01 },
		"stale":  func(s *usage.Snapshot) { s.NewestSample = noon.Add(-20 * time.Hour) },
		"new":    func(s *usage.Snapshot) { s.CPUHistogram.First, s.CPUHistogram.Samples = noon, 1 },
	} {
		in := steady(9_000, 40e9)
		breaks(&in.Usage)

		got := recommender.Decide(rule(t), in)
		require.Equal(t, size.Size{CPUMillis: up(cpuEnd(9_000) * 1.15), MemoryBytes: up(memoryEnd(40e9) * 1.15), Replicas: 3},
			got.Recommended, name)
	}
}

// With one memory peak a day, confidence comes from the days and not from the number of peaks.
func TestMemoryConfidence(t *testing.T) {
	t.Parallel()

	in := steady(1_000, 4e9)
	in.Usage.MemoryHistogram.Samples = 8
	in.Usage.CPUHistogram.Samples = 8

	got := recommender.Decide(rule(t), in)
	require.InDelta(t, 8, fact(t, got, "memory_confidence_days"), 1e-9)
	require.InDelta(t, 8.0/1440, fact(t, got, "cpu_confidence_days"), 1e-9)
}

// faultNames are the faults in an order that does not change.
func faultNames() []string {
	return slices.Sorted(maps.Keys(faults))
}

// breakSafely applies a fault after another one may have taken away what it would break.
func breakSafely(s *usage.Snapshot, name string) {
	if len(s.Windows) > 0 && s.CPUHistogram != nil && len(s.CPUHistogram.Weights) > 0 {
		faults[name].breaks(s)
	}
}
