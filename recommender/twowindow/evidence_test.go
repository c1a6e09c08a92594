package twowindow_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// shrinking is an evaluation that lowers both resources from 16 cores and 64 GiB.
func shrinking() recommender.Input {
	return input(of(16_000, 64), policy.Policy{}, steadyMemory(smallSpan, 1_000), steadyMemory(largeSpan, 1_000))
}

func TestGoodDataLowers(t *testing.T) {
	t.Parallel()
	require.Equal(t, of(1_886, keepMemory), recommender.Decide(rule(t), shrinking()).Recommended)
}

func TestBadDataLowersNothing(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change func(*usage.Snapshot)
		reason recommender.Reason
	}{
		"no windows":         {func(s *usage.Snapshot) { s.Windows = nil }, recommender.ReasonNoData},
		"no small window":    {func(s *usage.Snapshot) { s.Windows = s.Windows[1:] }, recommender.ReasonNoData},
		"no large window":    {func(s *usage.Snapshot) { s.Windows = s.Windows[:1] }, recommender.ReasonNoData},
		"sparse small":       {func(s *usage.Snapshot) { s.Windows[0].Coverage = 0.79 }, recommender.ReasonLowCoverage},
		"sparse large":       {func(s *usage.Snapshot) { s.Windows[1].Coverage = 0.79 }, recommender.ReasonLowCoverage},
		"coverage absurd":    {func(s *usage.Snapshot) { s.Windows[1].Coverage = math.Inf(1) }, recommender.ReasonImplausibleData},
		"coverage NaN":       {func(s *usage.Snapshot) { s.Windows[1].Coverage = math.NaN() }, recommender.ReasonLowCoverage},
		"stale":              {func(s *usage.Snapshot) { s.NewestSample = noon.Add(-15*time.Minute - 1) }, recommender.ReasonStaleData},
		"from the future":    {func(s *usage.Snapshot) { s.NewestSample = noon.Add(time.Hour) }, recommender.ReasonStaleData},
		"age unknown":        {func(s *usage.Snapshot) { s.NewestSample = time.Time{} }, recommender.ReasonStaleData},
		"stale, no readtime": {func(s *usage.Snapshot) { s.NewestSample, s.ReadTime = noon.Add(-time.Hour), time.Time{} }, recommender.ReasonStaleData},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := shrinking()
			c.change(&in.Usage)

			got := recommender.Decide(rule(t), in)
			require.Equal(t, in.Allocation, got.Recommended)
			require.Equal(t, recommender.DirectionNone, got.Direction)
			require.Contains(t, []recommender.Status{recommender.StatusHold, recommender.StatusInsufficientData}, got.Status)
			require.Contains(t, got.Reasons, c.reason)
		})
	}
}

func TestUnknownResourceIsKept(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change func(*usage.Window)
		want   size.Size
		reason recommender.Reason
	}{
		"no CPU":            {func(w *usage.Window) { w.CPUPeakMillis = 0 }, of(16_000, keepMemory), recommender.ReasonCPUUnknown},
		"negative CPU":      {func(w *usage.Window) { w.CPUPeakMillis = -5 }, of(16_000, keepMemory), recommender.ReasonImplausibleData},
		"absurd CPU":        {func(w *usage.Window) { w.CPUPeakMillis = math.MaxInt64 }, of(16_000, keepMemory), recommender.ReasonImplausibleData},
		"no resident":       {func(w *usage.Window) { w.ResidentMemoryPeakBytes = 0 }, of(1_886, 64), recommender.ReasonMemoryUnknown},
		"negative resident": {func(w *usage.Window) { w.ResidentMemoryPeakBytes = -1 }, of(1_886, 64), recommender.ReasonImplausibleData},
		"query memory only": {
			func(w *usage.Window) { w.ResidentMemoryPeakBytes, w.QueryMemoryPeakBytes = 0, gib },
			of(1_886, 64), recommender.ReasonMemoryUnknown,
		},
	} {
		for window := range 2 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()

				in := shrinking()
				c.change(&in.Usage.Windows[window])
				in.State = after(math.MaxInt32, 1<<45)

				got := recommender.Decide(rule(t), in)
				require.Equal(t, c.want, got.Recommended)
				require.Contains(t, got.Reasons, c.reason)
			})
		}
	}
}

func TestCoupledUnknownKeepsThePair(t *testing.T) {
	t.Parallel()

	for _, p := range []policy.Policy{{MemoryPerCoreBytes: 4 * gib}, {Catalogue: ladder(2, 4, 8, 16)}} {
		in := shrinking()
		in.Policy = p
		in.Usage.Windows[1].CPUPeakMillis = 0

		got := recommender.Decide(rule(t), in)
		require.Equal(t, in.Allocation, got.Recommended)
	}
}

// TestAnyPeakRaises: what was seen is a lower bound of the need, however little was seen.
func TestAnyPeakRaises(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*usage.Snapshot){
		"sparse":          func(s *usage.Snapshot) { s.Windows[0].Coverage, s.Windows[1].Coverage = 0.01, 0.01 },
		"stale":           func(s *usage.Snapshot) { s.NewestSample = noon.Add(-20 * time.Hour) },
		"no large window": func(s *usage.Snapshot) { s.Windows = s.Windows[:1] },
		"large all zero":  func(s *usage.Snapshot) { s.Windows[1] = usage.Window{Length: largeSpan} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(of(4_000, 4), policy.Policy{}, steadyMemory(smallSpan, 3_800), steadyMemory(largeSpan, 3_800))
			change(&in.Usage)
			require.Equal(t, of(7_166, keepMemory), recommender.Decide(rule(t), in).Recommended)
		})
	}
}

func TestNoLargeWindowIsInsufficient(t *testing.T) {
	t.Parallel()

	for _, peak := range []int64{8_000, 4_000} {
		in := input(of(16_000, 64), policy.Policy{}, steadyMemory(smallSpan, peak), usage.Window{Length: largeSpan})
		in.State = after(9_000, 99*gib)

		got := recommender.Decide(rule(t), in)
		require.Equal(t, recommender.StatusInsufficientData, got.Status)
		require.Equal(t, in.Allocation, got.Recommended)
		require.Contains(t, got.Reasons, recommender.ReasonNoData)
	}
}

func TestOutOfMemoryAtTheMaximum(t *testing.T) {
	t.Parallel()

	p := policy.Policy{Max: of(8_000, 16).Resources()}
	window := steadyCPU(smallSpan, 16*gib)
	window.OOMKills, window.OOMKillResidentBytes = 3, 16*gib
	large := window
	large.Length = largeSpan

	in := input(of(4_000, 12), p, window, large)

	for i := range 5 {
		got := recommender.Decide(rule(t), in)
		require.Equal(t, of(4_000, 16), got.Recommended)
		require.Equal(t, 24*gib, got.Uncapped.MemoryBytes, "the need does not feed itself")
		require.Equal(t, recommender.StatusLimited, got.Status)
		require.Subset(t, got.Reasons, []recommender.Reason{recommender.ReasonOOMKilled, recommender.ReasonLimitedByMax})

		if i > 0 {
			require.Equal(t, recommender.DirectionNone, got.Direction, "at its maximum a service does not move")
		}

		in.Allocation, in.State, in.Now = got.Recommended, got.State, in.Now.Add(slot)
		in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
	}
}

// TestRoundingIsNoVerdict: an allocation off the steps must not read as up in a window that knows nothing, else it would
// confirm what the large window asks for.
func TestRoundingIsNoVerdict(t *testing.T) {
	t.Parallel()

	p := policy.Policy{StepCPUMillis: 1_000, StepMemoryBytes: 4 * gib}

	for name, small := range map[string]usage.Window{
		"empty":      {Length: smallSpan},
		"no CPU":     {Length: smallSpan, Coverage: 1, ResidentMemoryPeakBytes: 1, ResidentMemoryMedianBytes: 1},
		"no memory":  {Length: smallSpan, Coverage: 1, CPUPeakMillis: 2_000},
		"query only": {Length: smallSpan, Coverage: 1, CPUPeakMillis: 2_000, QueryMemoryPeakBytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(of(4_100, 5), p, small, steadyMemory(largeSpan, 4_000))
			got := recommender.Decide(rule(t), in).Explanation.Windows[0]

			if small.CPUPeakMillis == 0 {
				require.Equal(t, recommender.DirectionNone, got.CPUVerdict)
				require.Equal(t, in.Allocation.CPUMillis, got.Need.CPUMillis)
			}

			if small.ResidentMemoryPeakBytes == 0 {
				require.Equal(t, recommender.DirectionNone, got.MemoryVerdict)
				require.Equal(t, in.Allocation.MemoryBytes, got.Need.MemoryBytes)
				require.Equal(t, recommender.MemoryTermAllocation, got.Memory.Term)
			}
		})
	}
}

func TestSilenceConfirmsNothingInLockstep(t *testing.T) {
	t.Parallel()

	in := input(of(4_100, 17), policy.Policy{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1_000},
		usage.Window{Length: smallSpan}, steadyMemory(largeSpan, 4_000))
	require.Equal(t, in.Allocation, recommender.Decide(rule(t), in).Recommended)
}
