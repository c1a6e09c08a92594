package twowindow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

// An account takes one piece of memory for the windows, their merges and the reasons, and one for the adjustments.
func TestADecisionAllocatesTwice(t *testing.T) {
	r := rule(t)
	in := input(of(16_000, 64), policy.Default(), steadyMemory(smallSpan, 4_000), steadyMemory(largeSpan, 14_000))

	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { recommender.Decide(r, in) }), 2.0)
}

func BenchmarkDecision(b *testing.B) {
	r := rule(b)

	for name, p := range map[string]policy.Policy{
		"default":   policy.Default(),
		"lockstep":  {MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000, Min: of(2_000, 8).Resources()},
		"catalogue": {Catalogue: ladder(2, 4, 8, 16, 32, 64, 96), Max: of(64_000, 256).Resources()},
	} {
		b.Run(name, func(b *testing.B) {
			in := input(of(16_000, 64), p, steadyMemory(smallSpan, 4_000), steadyMemory(largeSpan, 14_000))
			in.State = after(20_000, 20*gib)

			b.ReportAllocs()

			for b.Loop() {
				recommender.Decide(r, in)
			}
		})
	}
}
