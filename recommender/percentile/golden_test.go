package percentile_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestMultipliers(t *testing.T) {
	t.Parallel()

	for confidence, want := range map[float64]float64{0.5: 3, 1: 2, 7: 1.1429} {
		require.InDelta(t, want, percentile.UpperMultiplier(confidence), 0.00005)
	}

	require.True(t, math.IsInf(percentile.UpperMultiplier(0), 1))

	for minutes, want := range map[float64]float64{5: 0.603, 30: 0.910, 60: 0.954} {
		require.InDelta(t, want, percentile.LowerMultiplier(minutes/1440), 0.0005)
	}

	require.Zero(t, percentile.LowerMultiplier(0))
}

func TestConfidence(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		span    time.Duration
		samples int64
		want    float64
	}{
		"a full day":              {day, 1440, 1},
		"a day, half the samples": {day, 720, 0.5},
		"many replicas":           {day, 14_400, 1},
		"five minutes":            {5 * time.Minute, 5, 5.0 / 1440},
		"one sample":              {0, 1, 0},
		"none":                    {day, 0, 0},
		"backwards":               {-day, 1440, 0},
	} {
		h := &usage.Histogram{First: noon.Add(-c.span), Last: noon, Samples: c.samples}
		require.InDelta(t, c.want, percentile.Confidence(h, 1440), 1e-12, name)
	}

	require.Zero(t, percentile.Confidence(&usage.Histogram{Last: noon, Samples: 1440}, 1440), "the beginning is not known")
}

func TestOOMNeed(t *testing.T) {
	t.Parallel()

	for used, want := range map[int64]float64{50: 150, 500: 600, 1024: 1228.8} {
		require.Equal(t, up(want*float64(mib)), percentile.OOMNeed(used*mib, 100*mib, 1.2))
	}

	require.Equal(t, 500*mib, percentile.OOMNeed(500*mib, 0, 1), "switched off")
	require.Equal(t, size.MaxMemoryBytes, percentile.OOMNeed(size.MaxMemoryBytes, size.MaxMemoryBytes, 10))
}

func TestTargetIsThePercentileAndTheMargin(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{1_000: 0.9, 6_000: 0.1}, map[float64]float64{4e9: 0.85, 20e9: 0.15})
	got := recommender.Decide(rule(t), in)

	require.Equal(t, up(cpuEnd(1_000)*1.15), got.Recommended.CPUMillis)
	require.Equal(t, up(memoryEnd(20e9)*1.15), got.Recommended.MemoryBytes)
	require.EqualValues(t, 3, got.Recommended.Replicas)
	require.Equal(t, recommender.StatusOK, got.Status)
	require.Equal(t, []recommender.Reason{recommender.ReasonPercentile}, got.Reasons)

	// By hand, from the account.
	confidence := fact(t, got, "cpu_confidence_days")
	require.InDelta(t, 8, confidence, 0)
	require.InDelta(t, cpuEnd(1_000), fact(t, got, "cpu_lower_percentile_millis"), 1e-9)
	require.InDelta(t, cpuEnd(6_000), fact(t, got, "cpu_upper_percentile_millis"), 1e-9)
	require.InDelta(t, math.Ceil(cpuEnd(1_000)*1.15/((1+0.001/8)*(1+0.001/8))), fact(t, got, "cpu_lower_bound_millis"), 0)
	require.InDelta(t, math.Ceil(cpuEnd(6_000)*1.15*(1+1.0/8)), fact(t, got, "cpu_upper_bound_millis"), 0)
	require.InDelta(t, math.Ceil(fact(t, got, "cpu_percentile_millis")*1.15), fact(t, got, "cpu_target_millis"), 0)
}

// Within the bounds, a tenth decides; beyond them, any difference does.
func TestSmallDifferencesAreKept(t *testing.T) {
	t.Parallel()

	in := steady(1_000, 4e9)
	target := recommender.Decide(rule(t), in).Recommended
	high := recommender.Decide(rule(t), in)
	require.Greater(t, fact(t, high, "cpu_upper_bound_millis"), float64(target.CPUMillis)*1.11)

	for _, c := range []struct {
		allocated float64
		kept      bool
	}{{1.09, true}, {1.13, false}, {1, true}, {0.92, false}} {
		in.Allocation.CPUMillis = int64(float64(target.CPUMillis) * c.allocated)
		got := recommender.Decide(rule(t), in)

		if c.kept {
			require.Equal(t, in.Allocation.CPUMillis, got.Recommended.CPUMillis, "%g", c.allocated)
			require.Contains(t, got.Reasons, recommender.ReasonWithinConfidence)
		} else {
			require.Equal(t, target.CPUMillis, got.Recommended.CPUMillis, "%g", c.allocated)
		}
	}

	// After two weeks the upper bound lies 1 / 14 above a use that never varies.
	long := rule(t, func(p *percentile.Params) { p.Span = 14 * day })
	in.Usage.CPUHistogram.First, in.Usage.CPUHistogram.Samples = noon.Add(-14*day), 14*1440

	for allocated, kept := range map[float64]bool{1.06: true, 1.09: false} {
		in.Allocation.CPUMillis = int64(float64(target.CPUMillis) * allocated)
		require.Equal(t, kept, recommender.Decide(long, in).Recommended.CPUMillis == in.Allocation.CPUMillis)
	}

	// At 92 % the difference is below a tenth, but the lower bound lies above it. With wider use it does not.
	in = input(map[float64]float64{500: 0.5, 1_000: 0.5}, map[float64]float64{4e9: 1})
	in.Allocation.CPUMillis = int64(float64(target.CPUMillis) * 0.92)
	require.Equal(t, in.Allocation.CPUMillis, recommender.Decide(rule(t), in).Recommended.CPUMillis)
}

func TestLoadAdjusted(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{100: 0.9, 1_000: 0.1}, map[float64]float64{4e9: 1})
	require.Equal(t, up(cpuEnd(100)*1.15), recommender.Decide(rule(t), in).Recommended.CPUMillis)

	adjusted := rule(t, func(p *percentile.Params) { p.LoadAdjusted = true })
	require.Equal(t, up(cpuEnd(1_000)*1.15), recommender.Decide(adjusted, in).Recommended.CPUMillis)
}

func TestMinimums(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t), steady(3, 2e6))
	require.EqualValues(t, 25, got.Recommended.CPUMillis)
	require.Equal(t, 250*mib, got.Recommended.MemoryBytes)
}

func killed(in recommender.Input, resident int64) recommender.Input {
	in.Usage.Windows[0].OOMKills, in.Usage.Windows[0].OOMKillResidentBytes = 1, resident

	return in
}

func TestAKillRaisesTheNeed(t *testing.T) {
	t.Parallel()

	got := recommender.Decide(rule(t), killed(steady(1_000, 4e9), 32*gib))
	require.Equal(t, up(38.4*float64(gib)), got.Recommended.MemoryBytes)
	require.Contains(t, got.Reasons, recommender.ReasonOOMKilled)
	require.InDelta(t, 32*float64(gib), fact(t, got, "oom_kill_resident_bytes"), 0)
	require.InDelta(t, float64(got.Recommended.MemoryBytes), fact(t, got, "oom_kill_need_bytes"), 0)

	// A little more is followed too: evidence is no estimate.
	got = recommender.Decide(rule(t), killed(steady(1_000, 4e9), 28*gib))
	require.Equal(t, up(33.6*float64(gib)), got.Recommended.MemoryBytes)

	// What is enough already is kept, as long as the evidence lasts.
	got = recommender.Decide(rule(t), killed(steady(1_000, 4e9), 26*gib))
	require.Equal(t, 32*gib, got.Recommended.MemoryBytes)

	// The killer was faster than the sampler: the peak counts.
	in := killed(steady(1_000, 4e9), 0)
	in.Usage.Windows[0].ResidentMemoryPeakBytes = 30 * gib
	require.Equal(t, 36*gib, recommender.Decide(rule(t), in).Recommended.MemoryBytes)

	// Without any number there is nothing to say.
	in.Usage.Windows[0].ResidentMemoryPeakBytes = 0
	require.Equal(t, 32*gib, recommender.Decide(rule(t), in).Recommended.MemoryBytes)

	// The estimate may ask for more than the evidence.
	got = recommender.Decide(rule(t), killed(steady(1_000, 60e9), 10*gib))
	require.Equal(t, up(memoryEnd(60e9)*1.15), got.Recommended.MemoryBytes)
	require.NotContains(t, got.Reasons, recommender.ReasonOOMKilled)
}

func TestRefusedRequestsRaiseTheNeed(t *testing.T) {
	t.Parallel()

	in := steady(1_000, 4e9)
	in.Usage.Windows[0].MemoryRejections, in.Usage.Windows[0].RejectionResidentBytes = 7, 30*gib

	got := recommender.Decide(rule(t), in)
	require.Equal(t, 36*gib, got.Recommended.MemoryBytes)
	require.Contains(t, got.Reasons, recommender.ReasonMemoryRejected)

	off := rule(t, func(p *percentile.Params) { p.OOMRatio, p.OOMMinBytes = 1, 0 })
	require.Equal(t, 32*gib, recommender.Decide(off, in).Recommended.MemoryBytes, "30 GiB were in use, 32 GiB are close to it")
}

// Memory evidence does not depend on CPU samples, nor on memory samples.
func TestEvidenceWithoutHistory(t *testing.T) {
	t.Parallel()

	in := killed(steady(1_000, 4e9), 32*gib)
	in.Usage.CPUHistogram, in.Usage.MemoryHistogram = nil, nil

	got := recommender.Decide(rule(t), in)
	require.Equal(t, up(38.4*float64(gib)), got.Recommended.MemoryBytes)
	require.Equal(t, in.Allocation.CPUMillis, got.Recommended.CPUMillis)

	in = killed(in, 10*gib)
	require.Equal(t, 32*gib, recommender.Decide(rule(t), in).Recommended.MemoryBytes, "a lower bound lowers nothing")
}

// Out of memory at the maximum asks for the same again and again, and says that the policy leaves it short.
func TestOutOfMemoryAtTheMaximumDoesNotFeedItself(t *testing.T) {
	t.Parallel()

	in := killed(steady(1_000, 30e9), 32*gib)
	in.Policy = policy.Policy{Name: "p", Max: in.Allocation.Resources()}

	for range 50 {
		got := recommender.Decide(rule(t), in)
		require.Equal(t, up(38.4*float64(gib)), got.Uncapped.MemoryBytes)
		require.Equal(t, 32*gib, got.Recommended.MemoryBytes)
		require.Equal(t, recommender.StatusLimited, got.Status)

		in.State, in.Now = got.State, in.Now.Add(10*time.Minute)
		in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
		in.Usage.Windows[0].OOMKills++
	}
}

// Autopilot, for jobs that tolerate some kills: p60 = 3 and a peak of 10 give 5; a p60 above half of the peak stands.
func TestAutopilotIntermediate(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct{ usual, peak, want float64 }{
		"half of the peak": {3, 10, 5}, "the percentile": {7, 10, 7}, "no peak": {3, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			params := percentile.Defaults()
			params.Margin, params.MemoryPercentile, params.MemoryPeakShare = 0, 0.6, 0.5

			r, err := percentile.New(params)
			require.NoError(t, err)

			shares := map[float64]float64{}
			shares[c.usual*float64(gib)] += 0.7
			shares[c.peak*float64(gib)] += 0.3

			in := input(map[float64]float64{500: 1}, shares)
			in.Allocation.MemoryBytes = 100 * gib

			got := recommender.Decide(r, in).Uncapped
			require.InEpsilon(t, c.want, float64(got.MemoryBytes)/float64(gib), 0.06, "to the end of a bucket")
		})
	}
}
