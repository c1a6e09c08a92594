package percentile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func drawRule(t *rapid.T) *percentile.Recommender {
	return ruleOf(t, rapid.Bool().Draw(t, "load adjusted"))
}

func ruleOf(t *rapid.T, loadAdjusted bool) *percentile.Recommender {
	return rule(t, func(p *percentile.Params) {
		p.LoadAdjusted = loadAdjusted
		p.Margin = rapid.Float64Range(0, 1).Draw(t, "margin")
		p.CPUPercentile = rapid.Float64Range(0.5, 0.95).Draw(t, "CPU percentile")
		p.MemoryPercentile = rapid.Float64Range(0.5, 0.95).Draw(t, "memory percentile")
	})
}

// drawUse draws a use: levels that all have the same weight, so that one that rises shifts the whole.
func drawUse(t *rapid.T, label string, least, most float64) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(least, most), 1, 10).Draw(t, label)
}

func spread(levels []float64) map[float64]float64 {
	weights := map[float64]float64{}
	for _, level := range levels {
		weights[level] += 1 / float64(len(levels))
	}

	return weights
}

func drawPolicy(t *rapid.T) policy.Policy {
	p := rapid.SampledFrom([]policy.Policy{
		{},
		policy.Default(),
		{MemoryPerCoreBytes: 4 * gib},
		{StepCPUMillis: 300, StepMemoryBytes: gib / 2},
		{Catalogue: []size.Resources{
			{CPUMillis: 2_000, MemoryBytes: 8 * gib},
			{CPUMillis: 4_000, MemoryBytes: 16 * gib},
			{CPUMillis: 8_000, MemoryBytes: 32 * gib},
			{CPUMillis: 64_000, MemoryBytes: 256 * gib},
		}},
	}).Draw(t, "policy")
	p.Name = "p"

	if rapid.Bool().Draw(t, "bounded") {
		p.Min = size.Resources{CPUMillis: 2_000, MemoryBytes: 8 * gib}
		p.Max = size.Resources{CPUMillis: 16_000, MemoryBytes: 64 * gib}
	}

	require.NoError(t, p.Validate())

	return p
}

func drawInput(t *rapid.T, p policy.Policy) recommender.Input {
	in := input(spread(drawUse(t, "millis", 1, 1e5)), spread(drawUse(t, "bytes", 1e6, 4e11)))
	in.Policy = p
	in.Allocation.CPUMillis = rapid.Int64Range(1, 100_000).Draw(t, "CPU")
	in.Allocation.MemoryBytes = rapid.Int64Range(1, 400*gib).Draw(t, "memory")
	in.Periodic = rapid.Bool().Draw(t, "periodic")

	history := time.Duration(rapid.IntRange(1, 8*1440).Draw(t, "minutes of history")) * time.Minute
	for _, h := range []*usage.Histogram{in.Usage.CPUHistogram, in.Usage.MemoryHistogram} {
		h.First, h.Samples = noon.Add(-history), int64(history/time.Minute)
	}

	w := &in.Usage.Windows[0]
	w.OOMKills = rapid.Int64Range(0, 1).Draw(t, "kills")
	w.OOMKillResidentBytes = rapid.Int64Range(0, 400*gib).Draw(t, "resident at the kill") * w.OOMKills
	w.MemoryRejections = rapid.Int64Range(0, 1).Draw(t, "rejections")
	w.RejectionResidentBytes = rapid.Int64Range(0, 400*gib).Draw(t, "resident at the rejection") * w.MemoryRejections

	return in
}

func TestAgainAtOnce(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t)
		in := drawInput(t, drawPolicy(t))
		first := recommender.Decide(r, in)
		require.Equal(t, first, recommender.Decide(r, in), "the same input gives the same answer")

		in.State, in.Now = first.State, in.Now.Add(time.Second)
		second := recommender.Decide(r, in)
		require.Equal(t, first.Recommended, second.Recommended)
		require.Equal(t, first.State, second.State)
	})
}

func TestBoundsAlwaysHold(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, drawPolicy(t))
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(faultNames()), 0, 2, rapid.ID[string]).Draw(t, "faults") {
			breakSafely(&in.Usage, name)
		}

		got := recommender.Decide(drawRule(t), in).Recommended
		require.True(t, got.Resources().Covers(in.Policy.Min))

		for _, resource := range size.Both() {
			if bound := in.Policy.Max.Get(resource); bound > 0 {
				require.LessOrEqual(t, got.Resources().Get(resource), max(bound, in.Allocation.Resources().Get(resource)))
			}
		}
	})
}

func TestBadDataNeverLowers(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, drawPolicy(t))
		faults[rapid.SampledFrom(faultNames()).Draw(t, "fault")].breaks(&in.Usage)

		require.True(t, recommender.Decide(drawRule(t), in).Recommended.Resources().Covers(in.Allocation.Resources()))
	})
}

// More use of either resource never asks for less of it. Load-adjusted it may: when the middle level rises, more of the
// work is done there and less at the top.
func TestMonotone(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r := ruleOf(t, false)
		in := drawInput(t, policy.Policy{Name: "p"})
		millis, bytes := drawUse(t, "some millis", 1, 1e5), drawUse(t, "some bytes", 1e6, 4e11)

		sized := func() size.Size {
			changed := input(spread(millis), spread(bytes))
			in.Usage.CPUHistogram.Weights = changed.Usage.CPUHistogram.Weights
			in.Usage.MemoryHistogram.Weights = changed.Usage.MemoryHistogram.Weights

			return recommender.Decide(r, in).Recommended
		}

		less := sized()

		for _, levels := range [][]float64{millis, bytes} {
			levels[rapid.IntRange(0, len(levels)-1).Draw(t, "which")] *= rapid.Float64Range(1, 100).Draw(t, "how much more")
		}

		in.Usage.Windows[0].OOMKillResidentBytes += rapid.Int64Range(0, 10*gib).Draw(t, "more at the kill")

		more := sized()
		require.GreaterOrEqual(t, more.CPUMillis, less.CPUMillis)
		require.GreaterOrEqual(t, more.MemoryBytes, less.MemoryBytes)
	})
}

// On a use that stays as it is, each answer applied, a size changes at most twice and then stays.
func TestSettles(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t)
		in := drawInput(t, drawPolicy(t))
		moves := 0

		for range 10 {
			got := recommender.Decide(r, in)
			if got.Recommended != in.Allocation {
				moves++
			}

			in.Allocation, in.State, in.Now = got.Recommended, got.State, in.Now.Add(10*time.Minute)
			in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
		}

		require.LessOrEqual(t, moves, 2)
		require.Equal(t, in.Allocation, recommender.Decide(r, in).Recommended)
	})
}

// A size covers the percentile that was asked for, as far as the policy has sizes for it.
func TestCoversThePercentile(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		got := recommender.Decide(drawRule(t), drawInput(t, policy.Policy{Name: "p"}))

		for name, amount := range map[string]int64{
			"cpu_target_millis": got.Recommended.CPUMillis, "memory_target_bytes": got.Recommended.MemoryBytes,
		} {
			require.GreaterOrEqual(t, float64(amount), fact(t, got, name)*0.9)
		}
	})
}
