package policy_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

var anyNeed = rapid.Custom(func(t *rapid.T) size.Resources {
	return size.Resources{
		CPUMillis:   rapid.Int64Range(0, 100_000).Draw(t, "cpu"),
		MemoryBytes: rapid.Int64Range(0, 400*gib).Draw(t, "memory"),
	}
})

// anyPolicy draws a policy whose parts are valid. Its bounds may leave no legal size, which Fit has to survive.
var anyPolicy = rapid.Custom(func(t *rapid.T) policy.Policy {
	p := policy.Policy{Name: "p", MemoryPerCoreBytes: rapid.SampledFrom([]int64{0, 0, 1 << 20, gib, 4 * gib, 3_333_333_333}).Draw(t, "ratio")}

	if rapid.Bool().Draw(t, "bounded") {
		a, b := anyNeed.Draw(t, "a"), anyNeed.Draw(t, "b")
		p.Min, p.Max = a.Min(b), a.Max(b)
	}

	switch rapid.SampledFrom([]string{"free", "step", "catalogue"}).Draw(t, "kind") {
	case "step":
		p.StepCPUMillis = rapid.SampledFrom([]int64{0, 1, 250, 300, 1000}).Draw(t, "step CPU")
		if p.MemoryPerCoreBytes == 0 {
			p.StepMemoryBytes = rapid.SampledFrom([]int64{0, 1, gib / 3, gib, 4 * gib}).Draw(t, "step memory")
		}
	case "catalogue":
		p.Catalogue = drawCatalogue(t, &p)
	}

	probe := p
	probe.Min, probe.Max = size.Resources{}, size.Resources{}

	if probe.Validate() != nil {
		t.Skip("the step does not suit the ratio")
	}

	return p
})

func drawCatalogue(t *rapid.T, p *policy.Policy) []size.Resources {
	entries := rapid.SliceOfN(anyNeed, 1, 8).Draw(t, "catalogue")
	for i, entry := range entries {
		entries[i] = p.Couple(entry.Max(size.Resources{CPUMillis: 1, MemoryBytes: 1}))
	}

	slices.SortFunc(entries, func(a, b size.Resources) int {
		return cmp.Or(cmp.Compare(a.CPUMillis, b.CPUMillis), cmp.Compare(a.MemoryBytes, b.MemoryBytes))
	})

	return slices.Compact(entries)
}

// isLadder reports that of any two entries one covers the other.
func isLadder(catalogue []size.Resources) bool {
	for i := 1; i < len(catalogue); i++ {
		if !catalogue[i].Covers(catalogue[i-1]) {
			return false
		}
	}

	return true
}

func legal(p *policy.Policy) bool {
	return p.Validate() == nil
}

func TestFitIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy.Draw(t, "policy")
		once := p.Fitted(anyNeed.Draw(t, "need"))
		require.Equal(t, once, p.Fitted(once))
	})
}

func TestFitIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy.Draw(t, "policy")
		a, b := anyNeed.Draw(t, "a"), anyNeed.Draw(t, "b")
		low, high := p.Fitted(a.Min(b)), p.Fitted(a.Max(b))

		switch {
		case isLadder(p.Catalogue):
			require.True(t, high.Covers(low), "%s then %s", low, high)
		case high.Covers(a.Max(b)) && slices.Contains(p.Catalogue, low) && slices.Contains(p.Catalogue, high):
			require.GreaterOrEqual(t, slices.Index(p.Catalogue, high), slices.Index(p.Catalogue, low))
		}
	})
}

// TestEveryPairOnTheRatioIsItsOwnMaximum: memory on the ratio is rounded down to a byte, and still reaches its CPU.
func TestEveryPairOnTheRatioIsItsOwnMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy.Policy{MemoryPerCoreBytes: rapid.Int64Range(1<<20, 10*gib).Draw(t, "ratio")}
		pair := p.Couple(size.Resources{CPUMillis: rapid.Int64Range(1, 100_000).Draw(t, "cpu")})

		p.Max.MemoryBytes = pair.MemoryBytes
		require.Equal(t, pair, p.Fitted(size.Resources{CPUMillis: 200_000}))
	})
}

func TestFitStaysWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy.Draw(t, "policy")
		got := p.Fitted(anyNeed.Draw(t, "need"))

		require.True(t, got.Covers(p.Min))
		require.Positive(t, min(got.CPUMillis, got.MemoryBytes))

		for _, resource := range size.Both() {
			if bound := p.Max.Get(resource); bound > 0 {
				require.LessOrEqual(t, got.Get(resource), bound)
			}
		}
	})
}

func TestFitOfALegalPolicyIsOnItsGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy.Filter(func(p policy.Policy) bool { return legal(&p) }).Draw(t, "policy")
		got := p.Fitted(anyNeed.Draw(t, "need"))

		require.Equal(t, got, p.Couple(got), "ratio")

		if len(p.Catalogue) > 0 {
			require.Contains(t, p.Catalogue, got)
		}

		if p.StepCPUMillis > 0 && p.MemoryPerCoreBytes > 0 {
			require.Zero(t, got.CPUMillis%p.StepCPUMillis)
		}
	})
}

func TestFitCoversTheNeedOrSaysLimited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, need := anyPolicy.Draw(t, "policy"), anyNeed.Draw(t, "need")
		got, adjustments := p.Fit(need)

		require.Equal(t, p.Fitted(need), got)

		for _, resource := range size.Both() {
			// Need 0 is lifted to the smallest amount there is, which is not an adjustment.
			amount := max(need.Get(resource), 1)

			for _, a := range adjustments {
				if a.Resource == resource {
					require.Equal(t, amount, a.Before, "the account has no holes")
					require.NotEqual(t, a.Before, a.After)
					require.Equal(t, a.After < need.Get(resource), a.Limited)
					amount = a.After
				}
			}

			require.Equal(t, got.Get(resource), amount)
		}
	})
}
