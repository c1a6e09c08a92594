package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestNextDown(t *testing.T) {
	t.Parallel()

	families := []size.Resources{of(2000, 4), of(2000, 16), of(4000, 8), of(4000, 32)}

	for name, c := range map[string]struct {
		policy     policy.Policy
		from, want size.Resources
	}{
		"the entry before":            {policy.Policy{Catalogue: ladder(2, 4, 8)}, of(8000, 32), of(4000, 16)},
		"the smallest entry":          {policy.Policy{Catalogue: ladder(2, 4, 8)}, of(2000, 8), of(2000, 8)},
		"no entry with more of one":   {policy.Policy{Catalogue: families}, of(4000, 8), of(2000, 4)},
		"between entries":             {policy.Policy{Catalogue: ladder(2, 4, 8)}, of(5000, 20), of(4000, 16)},
		"entries below the minimum":   {policy.Policy{Catalogue: ladder(2, 4, 8), Min: of(3000, 1)}, of(4000, 16), of(4000, 16)},
		"entries above the maximum":   {policy.Policy{Catalogue: ladder(2, 4, 8), Max: of(3000, 99)}, of(9000, 99), of(2000, 8)},
		"a step of each":              {policy.Policy{StepCPUMillis: 500, StepMemoryBytes: gib}, of(2000, 8), of(1500, 7)},
		"off the steps":               {policy.Policy{StepCPUMillis: 500, StepMemoryBytes: gib}, of(2100, 8), of(2000, 7)},
		"one resource at its minimum": {policy.Policy{StepCPUMillis: 500, Min: of(2000, 1)}, of(2000, 8), size.Resources{CPUMillis: 2000, MemoryBytes: 8*gib - 1}},
		"below the minimum":           {policy.Policy{StepCPUMillis: 500, StepMemoryBytes: gib, Min: of(2000, 4)}, of(1000, 4), of(1000, 4)},
		"a step on the ratio":         {policy.Policy{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000}, of(3000, 12), of(2000, 8)},
		"the last step on the ratio":  {policy.Policy{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000}, of(1000, 4), of(1000, 4)},
		"nothing set":                 {policy.Policy{}, of(1000, 1), size.Resources{CPUMillis: 999, MemoryBytes: gib - 1}},
	} {
		require.Equal(t, c.want, c.policy.NextDown(c.from), name)
	}
}

// TestNextDownIsTheNextLegalSize: what it returns is legal, below, and nothing legal lies between.
func TestNextDownIsTheNextLegalSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy.Filter(func(p policy.Policy) bool { return legal(&p) }).Draw(t, "policy")
		from := p.Fitted(anyNeed.Draw(t, "need"))
		next := p.NextDown(from)

		require.True(t, from.Covers(next), "%s is not below %s", next, from)
		require.Equal(t, next, p.Fitted(next), "legal")
		require.True(t, next.Covers(p.Min))

		other := p.Fitted(anyNeed.Draw(t, "other need"))
		if other == from || !from.Covers(other) {
			return
		}

		require.NotEqual(t, from, next, "there is a smaller size: %s", other)

		if p.Coupled() {
			require.False(t, other != next && other.Covers(next), "%s lies between", other)

			return
		}

		for _, resource := range size.Both() {
			amount := other.Get(resource)
			require.False(t, amount < from.Get(resource) && amount > next.Get(resource), "%s of %s lies between", resource.Format(amount), resource)
		}
	})
}
