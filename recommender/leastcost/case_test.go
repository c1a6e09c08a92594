package leastcost_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const gib = int64(1) << 30

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// plain returns parameters with which answers can be worked out by hand: no headroom, no band, no gain asked for.
func plain(price float64) leastcost.Params {
	weighing := leastcost.Weighing{
		Price: price, Headroom: 1, Decays: []usage.Decay{{HalfLife: 24 * time.Hour, Share: 1}},
	}

	return leastcost.Params{
		CPU: weighing, Memory: weighing, Span: 14 * 24 * time.Hour, MinHistory: 24 * time.Hour, EvidenceWindow: 24 * time.Hour,
		OOMMultiplier: 1.5, Saturation: 0.98, SaturationMultiplier: 1.25, MinCoverage: 0.8, MaxSampleAge: 15 * time.Minute,
	}
}

func rule(tb testing.TB, params leastcost.Params) *leastcost.Recommender {
	tb.Helper()

	r, err := leastcost.New(params)
	require.NoError(tb, err)

	return r
}

// histogram spreads the shares over amounts.
func histogram(b usage.Buckets, shares map[float64]float64) *usage.Histogram {
	h := &usage.Histogram{
		Buckets: b, Weights: make([]float64, b.Count), Samples: 1_000, First: noon.Add(-10 * 24 * time.Hour), Last: noon,
	}

	for amount, share := range shares {
		h.Weights[b.Index(amount)] += share
	}

	return h
}

// input is a service of 8 cores and 32 GiB that has used so much, in cores and GiB.
func input(cores, gibibytes map[float64]float64) recommender.Input {
	millis, bytes := map[float64]float64{}, map[float64]float64{}
	for amount, share := range cores {
		millis[amount*1000] = share
	}

	for amount, share := range gibibytes {
		bytes[amount*float64(gib)] = share
	}

	smallest := func(m map[float64]float64) int64 {
		amounts := make([]float64, 0, len(m))
		for amount := range m {
			amounts = append(amounts, amount)
		}

		return int64(slices.Min(amounts))
	}
	window := func(length time.Duration) usage.Window {
		return usage.Window{Length: length, Coverage: 1, CPUPeakMillis: smallest(millis), ResidentMemoryPeakBytes: smallest(bytes)}
	}

	return recommender.Input{
		Service: "prod/a", Now: noon, Allocation: size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: 3}, Periodic: true,
		Policy: policy.Policy{Name: "p"},
		Usage: usage.Snapshot{
			Service: "prod/a", NewestSample: noon, ReadTime: noon,
			Windows:      []usage.Window{window(10 * time.Minute), window(24 * time.Hour)},
			CPUHistogram: histogram(leastcost.CPUBuckets(), millis), MemoryHistogram: histogram(leastcost.MemoryBuckets(), bytes),
		},
	}
}

func fact(tb testing.TB, d recommender.Decision, name string) float64 {
	tb.Helper()

	for _, f := range d.Explanation.Facts {
		if f.Name == name {
			return f.Value
		}
	}

	tb.Fatalf("no fact %s in %v", name, d.Explanation.Facts)

	return 0
}

// roughly checks an amount that was rounded up to the end of a bucket.
func roughly(tb testing.TB, want, got float64) {
	tb.Helper()

	require.GreaterOrEqual(tb, got, want)
	require.LessOrEqual(tb, got, want*1.035+2)
}
