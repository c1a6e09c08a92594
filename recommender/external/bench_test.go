package external_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

func BenchmarkDecision(b *testing.B) {
	r := rule(b)
	in := input()
	in.Policy, in.Advice = policy.Default(), advised(of(8_000, 32, 5), 0)

	b.ReportAllocs()

	for b.Loop() {
		recommender.Decide(r, in)
	}
}
