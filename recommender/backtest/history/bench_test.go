package history_test

import (
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func BenchmarkHistory(b *testing.B) {
	decays := []usage.Decay{{HalfLife: 3 * time.Hour, Share: 0.5}, {HalfLife: 24 * time.Hour, Share: 0.5}}

	for name, request := range map[string]usage.Request{
		"windows": {Windows: []time.Duration{3 * time.Hour, 30 * time.Hour}},
		"histograms": {Histograms: usage.HistogramRequest{
			Span: 14 * 24 * time.Hour,
			CPU:  usage.HistogramShape{Buckets: leastcost.CPUBuckets(), Decays: decays},
			Memory: usage.HistogramShape{
				Buckets: leastcost.MemoryBuckets(), Decays: decays,
			},
		}},
	} {
		b.Run(name, func(b *testing.B) {
			h := history.New(request)
			now := noon

			b.ReportAllocs()

			// One round is ten minutes: two samples and one snapshot.
			for b.Loop() {
				for range 2 {
					now += 300
					load := float64(now * 7919 % 10_007)
					h.Observe(history.Sample{
						Time: now, Minutes: 5, CPUMillis: load, MemoryBytes: load * 1e6, CPUKnown: true, MemoryKnown: true,
					})
				}

				h.Snapshot(at(now))
			}
		})
	}
}
