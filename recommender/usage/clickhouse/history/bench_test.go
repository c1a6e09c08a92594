package history_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/recommender/usage/clickhouse/history"
)

// BenchmarkSnapshot makes of the minutes of a service with three replicas what is asked for.
func BenchmarkSnapshot(b *testing.B) {
	day := 24 * time.Hour
	decays := []usage.Decay{{HalfLife: day, Share: 1}}

	for name, request := range map[string]usage.Request{
		"windows":    {Windows: []time.Duration{3 * time.Hour, 30 * time.Hour}},
		"totals":     {Windows: []time.Duration{10 * time.Minute, 3 * time.Hour}, Totals: true},
		"two weeks":  {Windows: []time.Duration{3 * time.Hour, 30 * time.Hour, 14 * day}},
		"histograms": shaped(func(h *usage.HistogramRequest) { h.CPU.Decays = decays }),
	} {
		b.Run(name, func(b *testing.B) {
			plan, err := history.NewPlan(request)
			require.NoError(b, err)

			h := told{plan.New(noon.UnixMilli())}

			for _, replica := range []string{"r1", "r2", "r3"} {
				for age := range plan.Reach() {
					h.cpu(replica, age, age*7919%8*core/4)
					h.resident(replica, age, 4e9+age*7919%1e9)
				}
			}

			b.ReportAllocs()

			for b.Loop() {
				h.Snapshot("a/b")
			}
		})
	}
}
