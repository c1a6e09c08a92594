package replicas_test

import (
	"testing"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func BenchmarkDecision(b *testing.B) {
	large := policy.Policy{Name: "p"}
	for i := range int64(30) {
		large.Catalogue = append(large.Catalogue, size.Resources{CPUMillis: (i + 1) * 1_000, MemoryBytes: (i + 1) * 4 * gib})
	}

	for name, c := range map[string]struct {
		joint bool
		p     policy.Policy
	}{"number": {false, policy.Default()}, "pair of 30 sizes": {true, large}} {
		b.Run(name, func(b *testing.B) {
			r := rule(b, func(p *replicas.Params) { p.Joint = c.joint })
			in := input(of(4_000, 16, 20), 36_000, 64*gib)
			in.Policy = c.p

			b.ReportAllocs()

			for b.Loop() {
				recommender.Decide(r, in)
			}
		})
	}
}
