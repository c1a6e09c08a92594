package threshold_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// faults are ways in which data can be bad, and the reason that is then given.
var faults = map[string]struct {
	breaks func(*usage.Snapshot)
	reason recommender.Reason
}{
	"no windows":      {func(s *usage.Snapshot) { s.Windows = nil }, recommender.ReasonNoData},
	"empty window":    {func(s *usage.Snapshot) { s.Windows[0] = usage.Window{Length: newest} }, recommender.ReasonNoData},
	"sparse":          {func(s *usage.Snapshot) { s.Windows[0].Coverage = 0.79 }, recommender.ReasonLowCoverage},
	"coverage NaN":    {func(s *usage.Snapshot) { s.Windows[0].Coverage = math.NaN() }, recommender.ReasonImplausibleData},
	"stale":           {func(s *usage.Snapshot) { s.NewestSample = noon.Add(-16 * time.Minute) }, recommender.ReasonStaleData},
	"from the future": {func(s *usage.Snapshot) { s.NewestSample = noon.Add(time.Hour) }, recommender.ReasonStaleData},
	"no sample":       {func(s *usage.Snapshot) { s.NewestSample = time.Time{} }, recommender.ReasonStaleData},
	"no CPU total": {func(s *usage.Snapshot) {
		s.Windows[0].CPUTotalPeakMillis, s.Windows[0].CPUTotalLowMillis = 0, 0
	}, recommender.ReasonCPUUnknown},
	"no memory total": {func(s *usage.Snapshot) { s.Windows[0].ResidentMemoryTotalPeakBytes = 0 }, recommender.ReasonMemoryUnknown},
	"negative":        {func(s *usage.Snapshot) { s.Windows[0].CPUTotalPeakMillis = -1 }, recommender.ReasonImplausibleData},
	"absurd": {func(s *usage.Snapshot) {
		s.Windows[0].ResidentMemoryTotalPeakBytes = math.MaxInt64
	}, recommender.ReasonImplausibleData},
}

// faultNames are the faults in an order that does not change.
func faultNames() []string { return slices.Sorted(maps.Keys(faults)) }

func TestBadDataLowersNothing(t *testing.T) {
	t.Parallel()

	for _, axis := range []func(*threshold.Params){bySize, func(*threshold.Params) {}} {
		good := input(of(4_000, 16, 3), 0.1, 0.1)
		require.Equal(t, recommender.DirectionDown, recommender.Decide(rule(t, withMemory, axis), good).Direction)

		for name, fault := range faults {
			in := input(of(4_000, 16, 3), 0.1, 0.1)
			fault.breaks(&in.Usage)

			got := recommender.Decide(rule(t, withMemory, axis), in)
			require.Equal(t, in.Allocation, got.Recommended, name)
			require.Contains(t, got.Reasons, fault.reason, name)
			require.Empty(t, got.Plan, name)
		}
	}
}

// What is not measured and has no rule holds nothing up.
func TestAResourceWithoutARuleNeedNotBeKnown(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 3), 0.1, 0.1)
	in.Usage.Windows[0].ResidentMemoryTotalPeakBytes, in.Usage.Windows[0].ResidentMemoryTotalLowBytes = 0, 0
	require.EqualValues(t, 2, recommender.Decide(rule(t), in).Recommended.Replicas)

	memoryOnly := rule(t, withMemory, func(p *threshold.Params) { p.CPU = threshold.Rule{} })
	in = input(of(4_000, 16, 3), 0.1, 0.1)
	in.Usage.Windows[0].CPUTotalPeakMillis, in.Usage.Windows[0].CPUTotalLowMillis = 0, 0
	require.EqualValues(t, 2, recommender.Decide(memoryOnly, in).Recommended.Replicas)
}

func TestNothingKnownIsInsufficient(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 3), 0.1, 0.1)
	in.Usage.Windows = nil
	require.Equal(t, recommender.StatusInsufficientData, recommender.Decide(rule(t), in).Status)
}

// To grow without need is the smaller mistake.
func TestAnyDataRaises(t *testing.T) {
	t.Parallel()

	for name, breaks := range map[string]func(*usage.Snapshot){
		"sparse":         func(s *usage.Snapshot) { s.Windows[0].Coverage = 0.01 },
		"stale":          func(s *usage.Snapshot) { s.NewestSample = noon.Add(-20 * time.Hour) },
		"memory unknown": func(s *usage.Snapshot) { s.Windows[0].ResidentMemoryTotalPeakBytes = 0 },
	} {
		in := input(of(4_000, 16, 3), 0.9, 0.5)
		breaks(&in.Usage)
		require.EqualValues(t, 4, recommender.Decide(rule(t, withMemory), in).Recommended.Replicas, name)
	}
}
