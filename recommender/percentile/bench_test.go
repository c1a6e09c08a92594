package percentile_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

func BenchmarkDecision(b *testing.B) {
	r := rule(b)
	millis, bytes := map[float64]float64{}, map[float64]float64{}

	for i := 1; i <= 50; i++ {
		millis[float64(i)*100], bytes[float64(i)*5e8] = 0.02, 0.02
	}

	in := input(millis, bytes)
	in.Policy = policy.Default()

	b.ReportAllocs()

	for b.Loop() {
		recommender.Decide(r, in)
	}
}
