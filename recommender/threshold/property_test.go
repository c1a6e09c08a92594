package threshold_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func drawThresholds(t *rapid.T, label string) threshold.Rule {
	low, high := rapid.Float64Range(0.01, 0.9).Draw(t, label+" min"), rapid.Float64Range(0.01, 0.9).Draw(t, label+" max")

	return threshold.Rule{
		Min: min(low, high), Max: max(low, high), SustainedFor: rapid.SampledFrom([]time.Duration{0, halfHour}).Draw(t, label+" for"),
	}
}

func drawRule(t *rapid.T) *threshold.Recommender {
	return rule(t, func(p *threshold.Params) {
		p.CPU = drawThresholds(t, "CPU")
		if rapid.Bool().Draw(t, "memory") {
			p.Memory = drawThresholds(t, "memory")
		}

		p.Step = rapid.Int32Range(1, 5).Draw(t, "step")
		p.SizeStep = rapid.Float64Range(0.01, 0.9).Draw(t, "size step")
		p.Axis = rapid.SampledFrom(threshold.Axes()).Draw(t, "axis")

		if p.Axis == threshold.AxisReplicas && rapid.Bool().Draw(t, "templates") {
			templates(p)
		}
	})
}

func drawPolicy(t *rapid.T) policy.Policy {
	p := rapid.SampledFrom([]policy.Policy{
		{Name: "p"},
		policy.Default(),
		{Name: "p", MemoryPerCoreBytes: 4 * gib},
		{Name: "p", Catalogue: []size.Resources{
			of(2_000, 8, 0).Resources(), of(4_000, 16, 0).Resources(), of(4_000, 32, 0).Resources(), of(8_000, 32, 0).Resources(),
		}},
	}).Draw(t, "policy")

	if rapid.Bool().Draw(t, "bounded") {
		p.MinReplicas, p.MaxReplicas = 2, 9
		p.Min, p.Max = of(2_000, 8, 0).Resources(), of(8_000, 32, 0).Resources()
	}

	require.NoError(t, p.Validate())

	return p
}

func drawInput(t *rapid.T) recommender.Input {
	allocation := size.Size{
		CPUMillis:   rapid.SampledFrom([]int64{1, 500, 2_000, 4_000, 8_000, 12_345}).Draw(t, "CPU"),
		MemoryBytes: rapid.SampledFrom([]int64{1, gib, 8 * gib, 16 * gib, 32 * gib, 33 * gib}).Draw(t, "memory"),
		Replicas:    rapid.Int32Range(1, 30).Draw(t, "replicas"),
	}
	in := input(allocation, rapid.Float64Range(0, 1.2).Draw(t, "CPU used"), rapid.Float64Range(0, 1.2).Draw(t, "memory used"))
	in.Policy = drawPolicy(t)

	return in
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
		in := drawInput(t)
		r := rule(t, withMemory, func(p *threshold.Params) { p.Axis = rapid.SampledFrom(threshold.Axes()).Draw(t, "axis") })
		in.Policy = policy.Policy{Name: "p"} // A bound below the allocation may lower a need that is above both.
		faults[rapid.SampledFrom(faultNames()).Draw(t, "fault")].breaks(&in.Usage)

		got := recommender.Decide(r, in).Recommended
		require.GreaterOrEqual(t, got.Replicas, in.Allocation.Replicas)
		require.True(t, got.Resources().Covers(in.Allocation.Resources()))
	})
}

// More demand never asks for fewer replicas, and on the axis of size never for less of its resource.
func TestMonotone(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, in := drawRule(t), drawInput(t)
		in.Policy = policy.Policy{Name: "p"}
		less := recommender.Decide(r, in)

		more := in
		more.Usage.Windows = []usage.Window{in.Usage.Windows[0], in.Usage.Windows[1]}
		millis, bytes := rapid.Int64Range(0, 50_000).Draw(t, "more millis"), rapid.Int64Range(0, 50*gib).Draw(t, "more bytes")

		// A memory rule that turns from shrinking to growing keeps CPU from shrinking, so each resource is tried alone.
		if rapid.Bool().Draw(t, "of CPU") {
			bytes = 0
		} else {
			millis = 0
		}

		for i := range more.Usage.Windows {
			w := &more.Usage.Windows[i]
			w.CPUTotalPeakMillis += millis
			w.CPUTotalLowMillis += millis
			w.ResidentMemoryTotalPeakBytes += bytes
			w.ResidentMemoryTotalLowBytes += bytes
		}

		got := recommender.Decide(r, more)
		require.GreaterOrEqual(t, got.Recommended.Replicas, less.Recommended.Replicas)

		if millis > 0 {
			require.GreaterOrEqual(t, got.Recommended.CPUMillis, less.Recommended.CPUMillis)
		} else {
			require.GreaterOrEqual(t, got.Recommended.MemoryBytes, less.Recommended.MemoryBytes)
		}
	})
}

// On a demand that stays as it is, each answer applied, a service goes in one direction only, and comes to rest.
func TestSettles(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, in := drawRule(t), drawInput(t)

		// The policy may bring a size that it does not have to one that it has, which is a move of its own.
		in.Allocation = in.Allocation.With(in.Policy.Fitted(in.Allocation.Resources()))
		in.Allocation.Replicas = max(in.Allocation.Replicas, in.Policy.MinReplicas)

		const many = 2_000

		var moved [3]recommender.Direction

		for step := range many {
			got := recommender.Decide(r, in)
			if got.Direction == recommender.DirectionNone {
				break
			}

			require.Less(t, step, many-1, "it never rests")

			for i, pair := range [...][2]int64{
				{in.Allocation.CPUMillis, got.Recommended.CPUMillis},
				{in.Allocation.MemoryBytes, got.Recommended.MemoryBytes},
				{int64(in.Allocation.Replicas), int64(got.Recommended.Replicas)},
			} {
				direction := recommender.Compare(pair[0], pair[1])
				if direction == recommender.DirectionNone {
					continue
				}

				require.NotContains(t, []recommender.Direction{opposite(direction)}, moved[i], "from %s to %s", in.Allocation, got.Recommended)
				moved[i] = direction
			}

			in = after(in, got, 10*time.Minute)
		}
	})
}

func opposite(d recommender.Direction) recommender.Direction {
	if d == recommender.DirectionUp {
		return recommender.DirectionDown
	}

	return recommender.DirectionUp
}

// Whenever the evaluations come, no two steps of one direction are closer than its interval, and no step down follows any
// step faster than that.
func TestIntervalsHold(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r := rule(t)
		in := input(of(4_000, 16, 5), 0.5, 0.1)

		var lastUp, last time.Time

		for range 100 {
			in.Usage.Windows[0] = window(newest, of(4_000, 16, 5), rapid.SampledFrom([]float64{0.05, 0.5, 1.5}).Draw(t, "used"), 0.1)
			got := recommender.Decide(r, in)

			switch got.Direction {
			case recommender.DirectionUp:
				require.GreaterOrEqual(t, in.Now.Sub(lastUp), 300*time.Second)

				lastUp, last = in.Now, in.Now
			case recommender.DirectionDown:
				require.GreaterOrEqual(t, in.Now.Sub(last), 500*time.Second)

				last = in.Now
			case recommender.DirectionNone:
			}

			// The change is made and seen at the next evaluation, which is when the intervals begin.
			in = after(in, got, time.Duration(rapid.IntRange(1, 400).Draw(t, "seconds"))*time.Second)
		}
	})
}
