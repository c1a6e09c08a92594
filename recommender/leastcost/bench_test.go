package leastcost_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/recommender"
)

func BenchmarkDecision(b *testing.B) {
	r := rule(b, plain(20))
	cores, gibibytes := map[float64]float64{}, map[float64]float64{}

	for i := 1; i <= 50; i++ {
		cores[float64(i)/10], gibibytes[float64(i)/2] = 0.02, 0.02
	}

	in := input(cores, gibibytes)

	b.ReportAllocs()

	for b.Loop() {
		recommender.Decide(r, in)
	}
}
