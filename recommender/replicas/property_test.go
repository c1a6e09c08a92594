package replicas_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func drawParams(t *rapid.T) replicas.Params {
	p := replicas.Defaults()
	p.CPUTarget = rapid.Float64Range(0.1, 1).Draw(t, "CPU target")
	p.MemoryTarget = rapid.SampledFrom([]float64{0, 0.5, 0.8, 1}).Draw(t, "memory target")
	p.Tolerance = rapid.SampledFrom([]float64{0, 0.1, 0.3}).Draw(t, "tolerance")
	p.SpareReplicas = rapid.Int32Range(0, 2).Draw(t, "spare")
	p.Joint = rapid.Bool().Draw(t, "joint")
	p.MemoryCost = rapid.SampledFrom([]float64{0, 0.125, 1}).Draw(t, "memory cost")

	return p
}

func drawPolicy(t *rapid.T) policy.Policy {
	p := rapid.SampledFrom([]policy.Policy{
		{Name: "p"},
		policy.Default(), catalogue(),
		{Name: "p", MemoryPerCoreBytes: 4 * gib, Catalogue: []size.Resources{of(1_000, 4, 0).Resources(), of(2_000, 8, 0).Resources(), of(16_000, 64, 0).Resources()}},
	}).Draw(t, "policy")

	if rapid.Bool().Draw(t, "bounded") {
		p.MinReplicas, p.MaxReplicas = rapid.Int32Range(1, 3).Draw(t, "least"), rapid.Int32Range(3, 50).Draw(t, "most")
		p.Min, p.Max = of(1_000, 4, 0).Resources(), of(8_000, 32, 0).Resources()
	}

	require.NoError(t, p.Validate())

	return p
}

func drawInput(t *rapid.T) recommender.Input {
	allocation := size.Size{
		CPUMillis:   rapid.SampledFrom([]int64{500, 2_000, 4_000, 8_000, 12_345}).Draw(t, "CPU"),
		MemoryBytes: rapid.SampledFrom([]int64{gib, 8 * gib, 16 * gib, 32 * gib, 33 * gib}).Draw(t, "memory"),
		Replicas:    rapid.Int32Range(1, 60).Draw(t, "replicas"),
	}
	in := input(allocation, rapid.Int64Range(1, 300_000).Draw(t, "millis"), rapid.Int64Range(1, 1_000*gib).Draw(t, "bytes"))
	in.Policy = drawPolicy(t)

	if rapid.Bool().Draw(t, "older peaks") {
		in.Usage.Windows[1].CPUTotalPeakMillis += rapid.Int64Range(0, 300_000).Draw(t, "older millis")
		in.Usage.Windows[1].ResidentMemoryTotalPeakBytes += rapid.Int64Range(0, 1_000*gib).Draw(t, "older bytes")
	}

	return in
}

// legal brings the allocation to a size and a number that the policy has, so that it changes neither by itself.
func legal(in recommender.Input) recommender.Input {
	p := &in.Policy
	in.Allocation = in.Allocation.With(p.Fitted(in.Allocation.Resources()))
	in.Allocation.Replicas = max(in.Allocation.Replicas, p.MinReplicas)

	if p.MaxReplicas > 0 {
		in.Allocation.Replicas = min(in.Allocation.Replicas, p.MaxReplicas)
	}

	return in
}

func drawRule(t *rapid.T) *replicas.Recommender {
	params := drawParams(t)

	return rule(t, func(p *replicas.Params) { *p = params })
}

func TestAgainAtOnce(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, in := drawRule(t), drawInput(t)
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
		r, in := drawRule(t), drawInput(t)
		if rapid.Bool().Draw(t, "broken") {
			faults[rapid.SampledFrom(faultNames()).Draw(t, "fault")].breaks(&in.Usage)
		}

		got, p := recommender.Decide(r, in).Recommended, in.Policy
		require.GreaterOrEqual(t, got.Replicas, max(p.MinReplicas, 1))
		require.True(t, got.Resources().Covers(p.Min))

		if p.MaxReplicas > 0 {
			require.LessOrEqual(t, got.Replicas, max(p.MaxReplicas, in.Allocation.Replicas))
		}

		for _, resource := range size.Both() {
			if bound := p.Max.Get(resource); bound > 0 {
				require.LessOrEqual(t, got.Resources().Get(resource), max(bound, in.Allocation.Resources().Get(resource)))
			}
		}
	})
}

func TestBadDataNeverLowers(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		params, in := drawParams(t), drawInput(t)
		params.MemoryTarget = max(params.MemoryTarget, 0.5) // Else it does not matter that memory is not known.
		faults[rapid.SampledFrom(faultNames()).Draw(t, "fault")].breaks(&in.Usage)

		got := recommender.Decide(rule(t, func(p *replicas.Params) { *p = params }), in).Recommended
		require.GreaterOrEqual(t, got.Replicas, in.Allocation.Replicas)
		require.True(t, got.Resources().Covers(in.Allocation.Resources()))
	})
}

// More demand never asks for fewer replicas of a size, and never for a cheaper pair.
func TestMonotone(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, in := drawRule(t), legal(drawInput(t))
		less := recommender.Decide(r, in)

		window := &in.Usage.Windows[rapid.IntRange(0, 1).Draw(t, "window")]
		window.CPUTotalPeakMillis += rapid.Int64Range(0, 100_000).Draw(t, "more millis")
		window.ResidentMemoryTotalPeakBytes += rapid.Int64Range(0, 100*gib).Draw(t, "more bytes")
		more := recommender.Decide(r, in)

		switch cheap, dear := bestCost(less), bestCost(more); {
		case cheap > 0 && dear > 0:
			require.GreaterOrEqual(t, dear, cheap)
		case cheap == 0 && dear == 0:
			require.GreaterOrEqual(t, more.Recommended.Replicas, less.Recommended.Replicas)
		}
	})
}

// bestCost returns the cost of the best pair, and 0 when none was looked for or found.
func bestCost(d recommender.Decision) float64 {
	for _, f := range d.Explanation.Facts {
		if f.Name == "best_cost" {
			return f.Value
		}
	}

	return 0
}

// On a demand that stays as it is, each answer applied, a service comes to rest with enough for it. A number alone is
// right at once; a pair may need one step for the rise and one for the fall, and again when fewer, larger replicas turn
// out to leave room for a cheaper size.
func TestSettles(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		params, in := drawParams(t), legal(drawInput(t))
		in.Usage.Windows[1].CPUTotalPeakMillis = in.Usage.Windows[0].CPUTotalPeakMillis
		in.Usage.Windows[1].ResidentMemoryTotalPeakBytes = in.Usage.Windows[0].ResidentMemoryTotalPeakBytes
		r := rule(t, func(p *replicas.Params) { *p = params })

		moves := 0

		for range 20 {
			got := recommender.Decide(r, in)
			if got.Recommended != in.Allocation {
				moves++
			}

			in = after(in, got)
		}

		require.Equal(t, in.Allocation, recommender.Decide(r, in).Recommended)

		if !params.Joint {
			require.LessOrEqual(t, moves, 1)
		}

		require.LessOrEqual(t, moves, 8)
		requireEnough(t, params, in)
	})
}

// requireEnough checks that the replicas that are not spare carry the demand, within the tolerance, unless there are as
// many as there may be.
func requireEnough(t *rapid.T, params replicas.Params, in recommender.Input) {
	t.Helper()

	if p := in.Policy; p.MaxReplicas > 0 && in.Allocation.Replicas >= p.MaxReplicas {
		return
	}

	tolerance := 1 + params.Tolerance
	if params.Joint {
		tolerance = 1.031 // Growth of less is not worth it.
	}

	serving := float64(in.Allocation.Replicas - params.SpareReplicas)
	window := in.Usage.Windows[0]

	require.LessOrEqual(t, float64(window.CPUTotalPeakMillis), serving*float64(in.Allocation.CPUMillis)*params.CPUTarget*tolerance+1)

	if params.MemoryTarget > 0 {
		require.LessOrEqual(t, float64(window.ResidentMemoryTotalPeakBytes),
			serving*float64(in.Allocation.MemoryBytes)*params.MemoryTarget*tolerance+1)
	}
}

// Whatever is applied of a pair, the service never has less than it needs and less than it had.
func TestNoStepIsTooLittle(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		params, in := drawParams(t), legal(drawInput(t))
		params.Joint = true
		in.Usage.Windows[1] = window(long, in.Usage.Windows[0].CPUTotalPeakMillis, in.Usage.Windows[0].ResidentMemoryTotalPeakBytes, in.Allocation.Replicas)
		in.Policy.CoolDown = policy.CoolDown{
			Up: rapid.SampledFrom([]time.Duration{0, 20 * time.Minute}).Draw(t, "cool-down up"), Down: rapid.SampledFrom([]time.Duration{0, 20 * time.Minute}).Draw(t, "cool-down down"),
		}
		in.Policy.StepUp.Size.Replicas = rapid.Int32Range(0, 3).Draw(t, "step up")
		in.Policy.StepDown.Size.Replicas = rapid.Int32Range(0, 3).Draw(t, "step down")

		r := rule(t, func(p *replicas.Params) { *p = params })

		for range 30 {
			got := recommender.Decide(r, in)
			earlier, now := share(params, in, in.Allocation), share(params, in, got.Recommended)
			require.LessOrEqual(t, now, max(earlier, 1+1e-9), "utilisation of what is aimed at, from %s to %s", in.Allocation, got.Recommended)

			in = after(in, got)
		}
	})
}

// share is the demand as a share of what the replicas that are not spare are made for.
func share(params replicas.Params, in recommender.Input, allocation size.Size) float64 {
	serving := float64(allocation.Replicas - params.SpareReplicas)
	if serving <= 0 {
		return math.Inf(1)
	}

	of := func(w usage.Window) float64 {
		cpu := float64(w.CPUTotalPeakMillis) / (float64(allocation.CPUMillis) * params.CPUTarget)
		if params.MemoryTarget == 0 {
			return cpu / serving
		}

		return max(cpu, float64(w.ResidentMemoryTotalPeakBytes)/(float64(allocation.MemoryBytes)*params.MemoryTarget)) / serving
	}

	return of(in.Usage.Windows[0])
}
