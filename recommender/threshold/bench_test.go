package threshold_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

func BenchmarkDecision(b *testing.B) {
	for name, used := range map[string]float64{"within": 0.5, "step": 0.9} {
		b.Run(name, func(b *testing.B) {
			r := rule(b, withMemory, templates)
			in := input(of(4_000, 16, 3), used, 0.5)
			in.Policy = policy.Default()

			b.ReportAllocs()

			for b.Loop() {
				recommender.Decide(r, in)
			}
		})
	}
}
