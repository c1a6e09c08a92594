package replicas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Autopilot's formula: 36 cores in use, 4 cores each, 75 % aimed at.
func TestTotalDemandOverTargetUtilisation(t *testing.T) {
	t.Parallel()

	for _, current := range []int32{1, 5, 10, 12, 20, 500} {
		got := recommender.Decide(rule(t, cpuOnly(0.75)), input(of(4_000, 16, current), 36_000, gib))
		require.EqualValues(t, 12, got.Recommended.Replicas, "from %d", current)
		require.Equal(t, of(4_000, 16, 12), got.Recommended, "the size stays")
		require.InDelta(t, 12, fact(t, got, "up_raw_replicas"), 1e-9)
		require.InDelta(t, 36_000, fact(t, got, "cpu_total_up_peak_millis"), 0)
	}
}

// The rows of the Horizontal Pod Autoscaler: the ratio of demand to what 4 replicas of 1 core are made for.
func TestTolerance(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		millis int64
		want   int32
	}{{4_360, 4}, {4_400, 4}, {4_440, 5}, {3_640, 4}, {3_600, 4}, {3_560, 4}, {2_960, 3}, {12_000, 12}} {
		got := recommender.Decide(rule(t, cpuOnly(1)), input(of(1_000, 4, 4), c.millis, gib))
		require.Equal(t, c.want, got.Recommended.Replicas, "%d", c.millis)
	}
}

func TestTheLargerNeedWins(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t), input(of(4_000, 10, 2), 12_000, 72*gib))
	require.EqualValues(t, 9, got.Recommended.Replicas, "72 GiB / (10 GiB * 0.8)")
	require.Equal(t, []recommender.Reason{recommender.ReasonTotalDemand}, got.Reasons)

	got = recommender.Decide(rule(t), input(of(4_000, 10, 2), 30_000, 16*gib))
	require.EqualValues(t, 10, got.Recommended.Replicas, "30 / (4 * 0.75)")
}

// More replicas come at once; fewer only when the peak of the long window has passed.
func TestScalingDownIsDeferred(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 12), 9_000, gib)
	in.Usage.Windows[1].CPUTotalPeakMillis = 36_000

	got := recommender.Decide(rule(t, cpuOnly(0.75)), in)
	require.Equal(t, in.Allocation, got.Recommended)
	require.Contains(t, got.Reasons, recommender.ReasonScaleDownDeferred)

	in.Usage.Windows[1].CPUTotalPeakMillis = 18_000
	require.EqualValues(t, 6, recommender.Decide(rule(t, cpuOnly(0.75)), in).Recommended.Replicas, "to the largest need of that time")

	in.Usage.Windows[1].CPUTotalPeakMillis = 45_000
	got = recommender.Decide(rule(t, cpuOnly(0.75)), in)
	require.Equal(t, in.Allocation, got.Recommended, "an old peak adds nothing")
	require.Contains(t, got.Reasons, recommender.ReasonScaleDownDeferred)

	// A sample of the short window that the long one lacks counts in both.
	in.Usage.Windows[0].CPUTotalPeakMillis, in.Usage.Windows[1].CPUTotalPeakMillis = 18_000, 3_000
	require.EqualValues(t, 6, recommender.Decide(rule(t, cpuOnly(0.75)), in).Recommended.Replicas)
}

// With one replica down, the rest must be enough.
func TestSpareReplicas(t *testing.T) {
	t.Parallel()

	spare := rule(t, cpuOnly(0.75), func(p *replicas.Params) { p.SpareReplicas = 1 })

	for current, want := range map[int32]int32{1: 13, 12: 12, 13: 13, 20: 13} {
		got := recommender.Decide(spare, input(of(4_000, 16, current), 36_000, gib))

		if current == 12 {
			// 11 are made for 33 cores; 36 are 1.09 times as much.
			require.InDelta(t, 12.0/11, fact(t, got, "up_ratio"), 1e-9)
		}

		require.Equal(t, want, got.Recommended.Replicas, "from %d", current)
	}

	require.EqualValues(t, 2, recommender.Decide(spare, input(of(4_000, 16, 1), 1, gib)).Recommended.Replicas, "one serves, one is spare")
}

func TestAtLeastOneReplica(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 1, recommender.Decide(rule(t), input(of(4_000, 16, 3), 1, 1)).Recommended.Replicas)
}

func TestReplicasNotKnown(t *testing.T) {
	t.Parallel()

	for _, change := range []func(*replicas.Params){joint, func(*replicas.Params) {}} {
		in := input(of(4_000, 16, 0), 36_000, gib)
		got := recommender.Decide(rule(t, change), in)
		require.Equal(t, in.Allocation, got.Recommended)
		require.Equal(t, []recommender.Reason{recommender.ReasonNoReplicas}, got.Reasons)
		require.Equal(t, recommender.StatusHold, got.Status)
	}
}

func TestPolicyBoundsTheNumber(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 3), 36_000, gib)
	in.Policy.MaxReplicas = 9

	got := recommender.Decide(rule(t, cpuOnly(0.75)), in)
	require.EqualValues(t, 9, got.Recommended.Replicas)
	require.EqualValues(t, 12, got.Uncapped.Replicas)
	require.Equal(t, recommender.StatusLimited, got.Status)
}

func TestHugeDemandHasANumber(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t), input(size.Size{CPUMillis: 1, MemoryBytes: 1, Replicas: 1}, size.MaxCPUMillis, size.MaxMemoryBytes))
	require.Equal(t, size.MaxReplicas, got.Recommended.Replicas)
}
