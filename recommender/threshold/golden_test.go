package threshold_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
)

func TestOneStepPerChange(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		used   float64
		want   int32
		reason recommender.Reason
	}{
		{0.9, 4, recommender.ReasonAboveThreshold},
		{0.8, 3, recommender.ReasonWithinThresholds},
		{0.5, 3, recommender.ReasonWithinThresholds},
		{0.2, 3, recommender.ReasonWithinThresholds},
		{0.1, 2, recommender.ReasonBelowThreshold},
	} {
		got := recommender.Decide(rule(t), input(of(4_000, 16, 3), c.used, 0.5))
		require.Equal(t, of(4_000, 16, c.want), got.Recommended, "%g", c.used)
		require.Equal(t, []recommender.Reason{c.reason}, got.Reasons)
		require.InDelta(t, c.used, fact(t, got, "cpu_low_share"), 1e-3)
		require.InDelta(t, 12_000, fact(t, got, "cpu_capacity_millis"), 0)
	}

	three := rule(t, func(p *threshold.Params) { p.Step = 3 })
	require.EqualValues(t, 13, recommender.Decide(three, input(of(4_000, 16, 10), 0.9, 0.5)).Recommended.Replicas)
	require.EqualValues(t, 7, recommender.Decide(three, input(of(4_000, 16, 10), 0.1, 0.5)).Recommended.Replicas)
}

// Out 300 s after the last growth, whatever shrank since; in 500 s after the last change of either direction.
func TestEachDirectionWaitsForItself(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		used               float64
		sinceUp, sinceDown time.Duration
		want               int32
	}{
		{0.9, 299 * time.Second, 0, 3},
		{0.9, 300 * time.Second, 0, 4},
		{0.9, 0, time.Second, 4},
		{0.1, 499 * time.Second, 0, 3},
		{0.1, 500 * time.Second, 0, 2},
		{0.1, 0, 499 * time.Second, 3},
		{0.1, 0, 500 * time.Second, 2},
		{0.1, 500 * time.Second, 499 * time.Second, 3},
		{0.5, time.Second, time.Second, 3},
	} {
		in := input(of(4_000, 16, 3), c.used, 0.5)
		in.State.Scaling.Allocation = in.Allocation

		if c.sinceUp > 0 {
			in.State.Scaling.UpTime = noon.Add(-c.sinceUp)
		}

		if c.sinceDown > 0 {
			in.State.Scaling.DownTime = noon.Add(-c.sinceDown)
		}

		got := recommender.Decide(rule(t), in)
		require.Equal(t, c.want, got.Recommended.Replicas, "%+v", c)
		require.Equal(t, c.want == 3 && c.used != 0.5, contains(got, recommender.ReasonCoolDown))
	}
}

func contains(d recommender.Decision, reason recommender.Reason) bool {
	return slices.Contains(d.Reasons, reason)
}

// The evaluation that is the first to see a change counts it.
func TestAChangeThatIsSeenNowCounts(t *testing.T) {
	t.Parallel()

	in := input(of(4_000, 16, 4), 0.9, 0.5)
	in.State.Scaling.Allocation = of(4_000, 16, 3)

	got := recommender.Decide(rule(t), in)
	require.EqualValues(t, 4, got.Recommended.Replicas)
	require.Contains(t, got.Reasons, recommender.ReasonCoolDown)

	got = recommender.Decide(rule(t), after(in, got, 300*time.Second))
	require.EqualValues(t, 5, got.Recommended.Replicas)
}

// For the whole window: a rise needs its least above, a fall its most below.
func TestSustained(t *testing.T) {
	t.Parallel()

	r := rule(t, func(p *threshold.Params) { p.CPU.SustainedFor = halfHour })
	require.Equal(t, []time.Duration{halfHour}, r.Needs().Windows)

	in := input(of(4_000, 16, 3), 0.9, 0.5)
	in.Usage.Windows[1].CPUTotalLowMillis = 6_000
	require.EqualValues(t, 3, recommender.Decide(r, in).Recommended.Replicas)
	require.EqualValues(t, 4, recommender.Decide(rule(t), in).Recommended.Replicas, "the newest ten minutes are all above")

	in = input(of(4_000, 16, 3), 0.1, 0.5)
	in.Usage.Windows[1].CPUTotalPeakMillis = 6_000
	require.EqualValues(t, 3, recommender.Decide(r, in).Recommended.Replicas)
	require.EqualValues(t, 2, recommender.Decide(rule(t), in).Recommended.Replicas)
}

func TestAnyRuleGrowsAndAllShrink(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		cpu, memory float64
		want        int32
	}{
		{0.9, 0.5, 4}, {0.5, 0.95, 4}, {0.9, 0.1, 4}, {0.1, 0.95, 4}, {0.1, 0.5, 3}, {0.5, 0.1, 3}, {0.1, 0.1, 2},
	} {
		got := recommender.Decide(rule(t, withMemory), input(of(4_000, 16, 3), c.cpu, c.memory))
		require.Equal(t, c.want, got.Recommended.Replicas, "%+v", c)
	}

	// A rule without a lower threshold has no say in shrinking, but none above its upper one comes of it.
	onlyMax := rule(t, func(p *threshold.Params) { p.Memory.Max = 0.9 })
	require.EqualValues(t, 2, recommender.Decide(onlyMax, input(of(4_000, 16, 3), 0.1, 0.5)).Recommended.Replicas)
	require.EqualValues(t, 3, recommender.Decide(onlyMax, input(of(4_000, 16, 3), 0.1, 0.7)).Recommended.Replicas, "0.7 * 3 / 2 is above 0.9")
}

// A step down ends where the next one up would begin.
func TestShrinkingLooksAhead(t *testing.T) {
	t.Parallel()

	narrow := rule(t, func(p *threshold.Params) { p.CPU.Max, p.CPU.Min = 0.3, 0.25 })
	require.EqualValues(t, 2, recommender.Decide(narrow, input(of(4_000, 16, 2), 0.24, 0.1)).Recommended.Replicas)
	require.EqualValues(t, 9, recommender.Decide(narrow, input(of(4_000, 16, 10), 0.24, 0.1)).Recommended.Replicas)

	five := rule(t, func(p *threshold.Params) { p.Step = 5 })
	got := recommender.Decide(five, input(of(4_000, 16, 6), 0.19, 0.1))
	require.EqualValues(t, 2, got.Recommended.Replicas, "1 would use 114 %")
	require.InDelta(t, 2, fact(t, got, "least_replicas"), 0)

	// Memory without a rule must still fit.
	require.EqualValues(t, 3, recommender.Decide(rule(t), input(of(4_000, 16, 3), 0.1, 0.7)).Recommended.Replicas)
	require.EqualValues(t, 1, recommender.Decide(rule(t), input(of(4_000, 16, 1), 0.01, 0.01)).Recommended.Replicas)
}

func TestSizeAxis(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		cpu, memory float64
		want        size.Size
	}{
		{0.9, 0.5, of(5_000, 16, 3)},
		{0.5, 0.95, of(4_000, 20, 3)},
		{0.9, 0.95, of(5_000, 20, 3)},
		{0.1, 0.5, of(3_000, 16, 3)},
		{0.5, 0.1, of(4_000, 12, 3)},
		{0.1, 0.1, of(3_000, 12, 3)},
		{0.9, 0.1, of(5_000, 16, 3)}, // One direction at a time.
		{0.5, 0.5, of(4_000, 16, 3)},
	} {
		got := recommender.Decide(rule(t, withMemory, bySize), input(of(4_000, 16, 3), c.cpu, c.memory))
		require.Equal(t, c.want, got.Recommended, "%+v", c)
		require.Empty(t, got.Plan)
	}

	big := rule(t, bySize, func(p *threshold.Params) { p.SizeStep = 0.9 })
	require.Equal(t, of(950, 16, 3), recommender.Decide(big, input(of(4_000, 16, 3), 0.19, 0.5)).Recommended, "0.19 * 4 cores / 0.8")
}

// A step that is smaller than the distance of two legal sizes goes to the next one.
func TestSizeAxisReachesTheNextLegalSize(t *testing.T) {
	t.Parallel()

	in := input(of(8_000, 32, 3), 0.1, 0.1)
	in.Policy = policy.Policy{Name: "p", Catalogue: []size.Resources{
		of(2_000, 8, 0).Resources(), of(4_000, 16, 0).Resources(), of(8_000, 32, 0).Resources(),
	}}
	require.Equal(t, of(4_000, 16, 3), recommender.Decide(rule(t, withMemory, bySize), in).Recommended)

	in.Policy = policy.Policy{Name: "p", StepCPUMillis: 5_000}
	require.Equal(t, of(5_000, 32, 3), recommender.Decide(rule(t, bySize), in).Recommended)

	in = input(of(500, 16, 3), 0.1, 0.5)
	in.Policy = policy.Default()
	require.Equal(t, of(250, 16, 3), recommender.Decide(rule(t, bySize), in).Recommended)
}

func TestReplicasNotKnown(t *testing.T) {
	t.Parallel()

	for _, axis := range []func(*threshold.Params){bySize, func(*threshold.Params) {}} {
		in := input(of(4_000, 16, 0), 0.9, 0.9)
		got := recommender.Decide(rule(t, axis), in)
		require.Equal(t, in.Allocation, got.Recommended)
		require.Equal(t, []recommender.Reason{recommender.ReasonNoReplicas}, got.Reasons)
	}
}
