package replicas_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// faults are ways in which data can be bad, and the reason that is then given.
var faults = map[string]struct {
	breaks func(*usage.Snapshot)
	reason recommender.Reason
}{
	"no windows":      {func(s *usage.Snapshot) { s.Windows = nil }, recommender.ReasonNoData},
	"no short window": {func(s *usage.Snapshot) { s.Windows = s.Windows[1:] }, recommender.ReasonNoData},
	"no long window":  {func(s *usage.Snapshot) { s.Windows = s.Windows[:1] }, recommender.ReasonNoData},
	"empty window":    {func(s *usage.Snapshot) { s.Windows[0] = usage.Window{Length: short} }, recommender.ReasonNoData},
	"sparse":          {func(s *usage.Snapshot) { s.Windows[1].Coverage = 0.79 }, recommender.ReasonLowCoverage},
	"coverage NaN":    {func(s *usage.Snapshot) { s.Windows[1].Coverage = math.NaN() }, recommender.ReasonImplausibleData},
	"stale":           {func(s *usage.Snapshot) { s.NewestSample = noon.Add(-16 * time.Minute) }, recommender.ReasonStaleData},
	"from the future": {func(s *usage.Snapshot) { s.NewestSample = noon.Add(time.Hour) }, recommender.ReasonStaleData},
	"no sample":       {func(s *usage.Snapshot) { s.NewestSample = time.Time{} }, recommender.ReasonStaleData},
	"no CPU total":    {func(s *usage.Snapshot) { s.Windows[0].CPUTotalPeakMillis = 0 }, recommender.ReasonCPUUnknown},
	"no memory total": {func(s *usage.Snapshot) { s.Windows[1].ResidentMemoryTotalPeakBytes = 0 }, recommender.ReasonMemoryUnknown},
	"negative":        {func(s *usage.Snapshot) { s.Windows[0].CPUTotalPeakMillis = -1 }, recommender.ReasonImplausibleData},
	"absurd": {func(s *usage.Snapshot) {
		s.Windows[1].ResidentMemoryTotalPeakBytes = math.MaxInt64
	}, recommender.ReasonImplausibleData},
}

// faultNames are the faults in an order that does not change.
func faultNames() []string { return slices.Sorted(maps.Keys(faults)) }

func TestBadDataLowersNothing(t *testing.T) {
	t.Parallel()

	for _, change := range []func(*replicas.Params){joint, func(*replicas.Params) {}} {
		require.Less(t, recommender.Decide(rule(t, change), input(of(4_000, 16, 12), 6_000, gib)).Recommended.Replicas, int32(4), "good data does")

		for name, fault := range faults {
			in := input(of(4_000, 16, 12), 6_000, gib)
			fault.breaks(&in.Usage)

			got := recommender.Decide(rule(t, change), in)
			require.Equal(t, in.Allocation, got.Recommended, name)
			require.Contains(t, got.Reasons, fault.reason, name)
		}
	}
}

func TestNothingKnownIsInsufficient(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 12), 6_000, gib)
	in.Usage.Windows = nil
	require.Equal(t, recommender.StatusInsufficientData, recommender.Decide(rule(t), in).Status)
}

// What was seen is a lower bound of the need, however little was seen.
func TestAnyDemandRaises(t *testing.T) {
	t.Parallel()

	for name, breaks := range map[string]func(*usage.Snapshot){
		"sparse":         func(s *usage.Snapshot) { s.Windows[0].Coverage, s.Windows[1].Coverage = 0.01, 0.01 },
		"stale":          func(s *usage.Snapshot) { s.NewestSample = noon.Add(-20 * time.Hour) },
		"no long window": func(s *usage.Snapshot) { s.Windows = s.Windows[:1] },
		"memory unknown": func(s *usage.Snapshot) {
			s.Windows[0].ResidentMemoryTotalPeakBytes, s.Windows[1].ResidentMemoryTotalPeakBytes = 0, 0
		},
	} {
		in := input(of(4_000, 16, 2), 36_000, gib)
		breaks(&in.Usage)
		require.Equal(t, of(4_000, 16, 12), recommender.Decide(rule(t), in).Recommended, name)
	}
}

func TestSizeIsNeverTouchedWithoutJoint(t *testing.T) {
	t.Parallel()

	in := input(size.Size{CPUMillis: 4_321, MemoryBytes: gib, Replicas: 3}, 100_000, 100*gib)
	in.Policy = catalogue()

	got := recommender.Decide(rule(t), in)
	require.Equal(t, in.Allocation.Resources(), got.Recommended.Resources())
	require.EqualValues(t, 125, got.Recommended.Replicas, "100 GiB / (1 GiB * 0.8)")
}
