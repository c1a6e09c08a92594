package policies_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// many is a file of many policies with three globs and a label each.
func many(n int) []byte {
	var content strings.Builder

	content.WriteString("policies:\n")

	for i := range n {
		fmt.Fprintf(&content, "  - {name: p%d, match: {services: [\"t%d/a-*\", \"t%d/b-*\", t%d/c], labels: {tier: gold}}}\n", i, i, i, i)
	}

	return []byte(content.String())
}

func BenchmarkFor(b *testing.B) {
	s, err := policies.Parse("many.yaml", many(100))
	require.NoError(b, err)

	labels := map[string]string{"tier": "gold", "team": "a"}

	b.ReportAllocs()

	for b.Loop() {
		if s.For("t99/b-orders", labels).Policy.Name != "p99" {
			b.Fatal("another policy")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			content := many(n)
			b.ReportAllocs()

			for b.Loop() {
				_, err := policies.Parse("many.yaml", content)
				require.NoError(b, err)
			}
		})
	}
}
