package percentile_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	mib = int64(1) << 20
	gib = int64(1) << 30
	day = 24 * time.Hour
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// rule is the recommender with its defaults and a change to them.
func rule(tb rapid.TB, change ...func(*percentile.Params)) *percentile.Recommender {
	tb.Helper()

	params := percentile.Defaults()
	for _, c := range change {
		c(&params)
	}

	r, err := percentile.New(params)
	require.NoError(tb, err)

	return r
}

// histogram spreads weights over amounts, with eight days of history.
func histogram(b usage.Buckets, weights map[float64]float64) *usage.Histogram {
	h := &usage.Histogram{
		Buckets: b, Weights: make([]float64, b.Count), Samples: 8 * 1440, First: noon.Add(-8 * day), Last: noon,
	}

	for amount, weight := range weights {
		h.Weights[b.Index(amount)] += weight
	}

	return h
}

// input is a service of 8 cores and 32 GiB, watched for eight days, that has used so much, in millicores and bytes.
func input(millis, bytes map[float64]float64) recommender.Input {
	return recommender.Input{
		Service: "prod/a", Now: noon, Periodic: true, Policy: policy.Policy{Name: "p"},
		Allocation: size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: 3},
		Usage: usage.Snapshot{
			Service: "prod/a", NewestSample: noon.Add(-time.Minute), ReadTime: noon,
			Windows:      []usage.Window{{Length: day, Coverage: 1, CPUPeakMillis: 1, ResidentMemoryPeakBytes: 1}},
			CPUHistogram: histogram(usage.CPUBuckets(), millis), MemoryHistogram: histogram(usage.MemoryBuckets(), bytes),
		},
	}
}

// steady is a use that never varies.
func steady(millis, bytes float64) recommender.Input {
	return input(map[float64]float64{millis: 1}, map[float64]float64{bytes: 1})
}

// end is the end of the bucket of an amount, which is what a percentile returns.
func end(b usage.Buckets, amount float64) float64 { return b.End(b.Index(amount)) }

func cpuEnd(millis float64) float64 { return end(usage.CPUBuckets(), millis) }

func memoryEnd(bytes float64) float64 { return end(usage.MemoryBuckets(), bytes) }

func up(amount float64) int64 { return size.Ceil(amount, size.MaxMemoryBytes) }

func fact(tb rapid.TB, d recommender.Decision, name string) float64 {
	tb.Helper()

	for _, f := range d.Explanation.Facts {
		if f.Name == name {
			return f.Value
		}
	}

	require.Failf(tb, "no such fact", "%s in %v", name, d.Explanation.Facts)

	return 0
}
