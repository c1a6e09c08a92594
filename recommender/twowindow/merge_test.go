package twowindow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// TestMergeRows runs the rows of the table end to end on 16 cores: a peak of 14 says up, 8 says none and 4 says down.
func TestMergeRows(t *testing.T) {
	t.Parallel()

	const (
		up, none, down = 14_000, 8_000, 4_000
		toUp, toDown   = 26_399, 7_543
	)

	rising, flat := after(4_000, 10*gib), after(7_543, 10*gib)

	for name, c := range map[string]struct {
		large, small int64
		state        recommender.State
		want         int64
		pick         recommender.Pick
		status       recommender.Status
		reason       recommender.Reason
	}{
		"up, up":               {up, up - 1_000, flat, toUp, recommender.PickLarge, recommender.StatusOK, recommender.ReasonCPUAboveBand},
		"up, none":             {up, none, flat, 16_000, recommender.PickSmall, recommender.StatusOK, recommender.ReasonUpNotConfirmed},
		"up, down, trending":   {up, down, rising, toUp, recommender.PickLarge, recommender.StatusOK, recommender.ReasonTrendingUp},
		"up, down, flat":       {up, down, flat, toDown, recommender.PickSmall, recommender.StatusOK, recommender.ReasonNotTrending},
		"up, down, first":      {up, down, recommender.State{}, 16_000, recommender.PickHold, recommender.StatusHold, recommender.ReasonNoPreviousSlot},
		"none, up":             {none, up, flat, toUp, recommender.PickSmall, recommender.StatusOK, recommender.ReasonImpossibleCell},
		"none, none":           {none, none, flat, 16_000, recommender.PickSmall, recommender.StatusOK, recommender.ReasonCPUWithinBand},
		"none, down, trending": {none, down, rising, 16_000, recommender.PickLarge, recommender.StatusOK, recommender.ReasonTrendingUp},
		"none, down, flat":     {none, down, flat, toDown, recommender.PickSmall, recommender.StatusOK, recommender.ReasonNotTrending},
		"none, down, first":    {none, down, recommender.State{}, 16_000, recommender.PickHold, recommender.StatusHold, recommender.ReasonNoPreviousSlot},
		"down, up":             {down, up, flat, toUp, recommender.PickSmall, recommender.StatusOK, recommender.ReasonImpossibleCell},
		"down, none":           {down, none, flat, 16_000, recommender.PickSmall, recommender.StatusOK, recommender.ReasonImpossibleCell},
		"down, down":           {down, down - 1_000, flat, 5_657, recommender.PickSmall, recommender.StatusOK, recommender.ReasonCPUBelowBand},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(of(16_000, keepMemory), policy.Policy{}, steadyMemory(smallSpan, c.small), steadyMemory(largeSpan, c.large))
			in.State = c.state

			got := recommender.Decide(rule(t), in)
			require.Equal(t, of(c.want, keepMemory), got.Recommended)
			require.Equal(t, c.status, got.Status)
			require.Contains(t, got.Reasons, c.reason)

			cpu := got.Explanation.Merges[0]
			require.Equal(t, recommender.ScopeCPU, cpu.Scope)
			require.Equal(t, c.pick, cpu.Picked)
		})
	}
}

// TestSilentSmallWindow is the one way to the row (down, none) with complete data: nothing was heard for hours. The
// table would shrink a service that is stopped; silence alone is no ground for that.
func TestSilentSmallWindow(t *testing.T) {
	t.Parallel()

	in := input(of(16_000, keepMemory), policy.Policy{}, usage.Window{Length: smallSpan}, steadyMemory(largeSpan, 4_000))

	got := recommender.Decide(rule(t), in)
	require.Equal(t, in.Allocation, got.Recommended)
	require.Equal(t, recommender.PickLarge, got.Explanation.Merges[0].Picked)
	require.Equal(t, int64(7_543), got.Uncapped.CPUMillis)
	require.Equal(t, recommender.StatusHold, got.Status)
	require.Subset(t, got.Reasons, []recommender.Reason{recommender.ReasonNoData, recommender.ReasonScaleDownBlocked})
}

// TestContradictionOfMemoryClasses is the case in which complete data contradicts the table: stable use in the small
// window asks for 12.5 GiB and spiky use with a higher peak in the large one for 11.44 GiB.
func TestContradictionOfMemoryClasses(t *testing.T) {
	t.Parallel()

	small := steadyCPU(smallSpan, 10*gib)
	large := steadyCPU(largeSpan, 104*gib/10)
	large.ResidentMemoryMedianBytes = 5 * gib

	for _, allocation := range []int64{9, 12, 14} {
		in := input(of(4_000, allocation), policy.Policy{}, small, large)
		in.State = after(1, 20*gib)

		// Following the table alone, 12.5 GiB would fall to 11.44 GiB and rise again for ever.
		for range 3 {
			got := recommender.Decide(rule(t), in)
			require.Equal(t, 125*gib/10, got.Recommended.MemoryBytes, "from %s", in.Allocation)
			in.Allocation = got.Recommended
		}
	}
}

func TestResourcesMoveApart(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 40), policy.Policy{}, steadyMemory(smallSpan, 3_800), steadyMemory(largeSpan, 3_800))
	got := recommender.Decide(rule(t), in)

	require.Equal(t, of(7_166, keepMemory), got.Recommended, "CPU rises while memory falls")
	require.Equal(t, recommender.DirectionUp, got.Direction)
	require.Len(t, got.Explanation.Merges, 2)
}

func TestCoupledResourcesMoveTogether(t *testing.T) {
	t.Parallel()

	for _, p := range []policy.Policy{{MemoryPerCoreBytes: 4 * gib}, {Catalogue: ladder(1, 2, 4, 8, 16)}} {
		in := input(of(16_000, 64), p, steadyMemory(smallSpan, 1_000), steadyMemory(largeSpan, 7_000))
		in.State = after(2_000, 10*gib)

		got := recommender.Decide(rule(t), in)
		require.Len(t, got.Explanation.Merges, 1)
		require.Equal(t, recommender.ScopeJoint, got.Explanation.Merges[0].Scope)
		require.Equal(t, got.Recommended.MemoryBytes, got.Recommended.CPUMillis*4*gib/1000)
		require.Less(t, got.Recommended.CPUMillis, int64(16_000))
		require.GreaterOrEqual(t, got.Recommended.MemoryBytes, keepMemory*gib)
	}
}

// TestTrendOfTheDecidingResource: memory decides the size and falls, so CPU that rises below it is no trend.
func TestTrendOfTheDecidingResource(t *testing.T) {
	t.Parallel()

	for _, p := range []policy.Policy{{MemoryPerCoreBytes: 4 * gib}, {Catalogue: ladder(1, 2, 4, 8, 16)}} {
		in := input(of(16_000, 64), p, steadyMemory(smallSpan, 500), steadyMemory(largeSpan, 8_000))
		in.State = after(100, 11*gib)

		got := recommender.Decide(rule(t), in)
		require.True(t, got.Explanation.Merges[0].Hunting.Consulted)
		require.False(t, got.Explanation.Merges[0].Hunting.Trending)
		require.Equal(t, recommender.DirectionDown, got.Direction)
	}
}

func TestLockstepPolicyWithIndependentPreviousIsComparable(t *testing.T) {
	t.Parallel()

	in := input(of(16_000, 64), policy.Policy{MemoryPerCoreBytes: 4 * gib}, steadyMemory(smallSpan, 500), steadyMemory(largeSpan, 8_000))
	in.State = recommender.State{Trend: recommender.Trend{Time: noon.Add(-slot), Small: size.Resources{CPUMillis: 100}}}

	hunting := recommender.Decide(rule(t), in).Explanation.Merges[0].Hunting
	require.True(t, hunting.Trending, "only CPU is known on both sides, and it rose")
	require.Zero(t, hunting.CurrentSmall.MemoryBytes)
}

// TestTrendWhenBothResourcesDecide: each alone needs the whole entry, so either of them makes a trend.
func TestTrendWhenBothResourcesDecide(t *testing.T) {
	t.Parallel()

	in := input(of(16_000, 64), policy.Policy{Catalogue: ladder(1, 2, 4, 8, 16)}, steadyMemory(smallSpan, 1_500), steadyMemory(largeSpan, 8_000))
	in.State = after(5_000, 9*gib)

	require.True(t, recommender.Decide(rule(t), in).Explanation.Merges[0].Hunting.Trending)
}
