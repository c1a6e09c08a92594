package external_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// drawSize draws any size, also one that cannot be true.
func drawSize(t *rapid.T, label string) size.Size {
	amount := rapid.OneOf(rapid.Int64Range(0, 100_000), rapid.SampledFrom([]int64{0, -1, math.MinInt64, math.MaxInt64, size.MaxCPUMillis + 1}))
	count := rapid.OneOf(rapid.Int32Range(0, 50), rapid.SampledFrom([]int32{0, -1, math.MinInt32, math.MaxInt32}))

	return size.Size{
		CPUMillis:   amount.Draw(t, label+" CPU"),
		MemoryBytes: rapid.OneOf(rapid.Int64Range(0, 200*gib), amount).Draw(t, label+" memory"),
		Replicas:    count.Draw(t, label+" replicas"),
	}
}

func drawInput(t *rapid.T) recommender.Input {
	in := input()
	in.Allocation = of(rapid.Int64Range(1, 100_000).Draw(t, "CPU"), rapid.Int64Range(1, 200).Draw(t, "GiB"), rapid.Int32Range(0, 50).Draw(t, "replicas"))
	in.Policy = rapid.SampledFrom([]policy.Policy{
		{Name: "p"},
		policy.Default(),
		{Name: "p", MemoryPerCoreBytes: 4 * gib},
		{
			Name: "p", Min: of(2_000, 8, 0).Resources(), Max: of(8_000, 32, 0).Resources(), MinReplicas: 2, MaxReplicas: 9,
			Catalogue: []size.Resources{of(2_000, 8, 0).Resources(), of(4_000, 16, 0).Resources(), of(8_000, 32, 0).Resources()},
		},
	}).Draw(t, "policy")

	if rapid.Bool().Draw(t, "answered") {
		in.Advice = advised(drawSize(t, "advice"), time.Duration(rapid.IntRange(-30, 120).Draw(t, "age"))*time.Second)
	}

	if rapid.Bool().Draw(t, "remembered") {
		// Not on the edge of what counts, where a moment matters.
		age := time.Duration(rapid.IntRange(-90, 90).Draw(t, "kept age"))*time.Minute + time.Second
		in.State.Advice = advised(drawSize(t, "kept"), age)
	}

	return in
}

func TestAgainAtOnce(t *testing.T) {
	t.Parallel()

	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		first := recommender.Decide(r, in)
		require.Equal(t, first, recommender.Decide(r, in), "the same input gives the same answer")

		// A second on, advice may have become too old to count.
		in.State, in.Now = first.State, in.Now.Add(time.Millisecond)
		second := recommender.Decide(r, in)
		require.Equal(t, first.Recommended, second.Recommended)
		require.Equal(t, first.State, second.State)
	})
}

func TestBoundsAlwaysHold(t *testing.T) {
	t.Parallel()

	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		got, p := recommender.Decide(r, in).Recommended, in.Policy
		require.True(t, got.Resources().Covers(p.Min))
		require.GreaterOrEqual(t, got.Replicas, min(p.MinReplicas, in.Allocation.Replicas))

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

// Whatever was remembered and whatever failed to come: without an answer for this evaluation nothing falls.
func TestNoAnswerNeverLowers(t *testing.T) {
	t.Parallel()

	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Policy = policy.Policy{Name: "p"}
		in.Advice = rapid.SampledFrom([]recommender.Advice{
			{}, {Size: of(1, 1, 1)}, advised(of(1, 1, 1), time.Hour), advised(size.Size{CPUMillis: -1}, 0),
		}).Draw(t, "no answer")

		got := recommender.Decide(r, in).Recommended
		require.True(t, got.Resources().Covers(in.Allocation.Resources()))
		require.GreaterOrEqual(t, got.Replicas, in.Allocation.Replicas)
	})
}

// More advised never gives less, and the answer applied is the answer again.
func TestMonotoneAndSettled(t *testing.T) {
	t.Parallel()

	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)

		// A number above the maximum stays when it is confirmed, and not when another one is asked for.
		if most := in.Policy.MaxReplicas; most > 0 {
			in.Allocation.Replicas = min(in.Allocation.Replicas, most)
		}

		in.Advice = advised(of(rapid.Int64Range(1, 50_000).Draw(t, "millis"), rapid.Int64Range(1, 100).Draw(t, "gibibytes"), rapid.Int32Range(1, 50).Draw(t, "count")), 0)
		less := recommender.Decide(r, in)

		applied := in
		applied.Allocation, applied.State, applied.Now = less.Recommended, less.State, in.Now.Add(time.Second)
		require.Equal(t, less.Recommended, recommender.Decide(r, applied).Recommended)

		in.Advice.Size.CPUMillis += rapid.Int64Range(0, 50_000).Draw(t, "more millis")
		in.Advice.Size.MemoryBytes += rapid.Int64Range(0, 100).Draw(t, "more gibibytes") * gib
		in.Advice.Size.Replicas += rapid.Int32Range(0, 50).Draw(t, "more replicas")

		more := recommender.Decide(r, in)
		require.True(t, more.Recommended.Resources().Covers(less.Recommended.Resources()))
		require.GreaterOrEqual(t, more.Recommended.Replicas, less.Recommended.Replicas)
	})
}
