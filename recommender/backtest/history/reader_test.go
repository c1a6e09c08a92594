package history_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/usage"
	reader "github.com/tidemark-project/tidemark/recommender/usage/clickhouse/history"
)

// TestSnapshotEqualsTheReaders holds that a replay sees what the product would: the snapshots are those of package
// usage/clickhouse from the same samples.
func TestSnapshotEqualsTheReaders(t *testing.T) {
	t.Parallel()

	decays := []usage.Decay{{HalfLife: time.Hour, Share: 0.25}, {HalfLife: 24 * time.Hour, Share: 0.75}}
	request := usage.Request{
		Windows: []time.Duration{20 * time.Minute, 3 * time.Hour}, Totals: true,
		Histograms: usage.HistogramRequest{
			Span:   14 * 24 * time.Hour, // longer than all that is drawn
			CPU:    usage.HistogramShape{Buckets: usage.CPUBuckets(), Decays: decays},
			Memory: usage.HistogramShape{Buckets: usage.MemoryBuckets(), Decays: decays},
		},
	}

	rapid.Check(t, func(t *rapid.T) {
		const most = 60

		ours := history.New(request)
		samples, kills := make([]history.Sample, 0, most), make([]kill, 0, most)
		now := noon + rapid.Int64Range(0, 59).Draw(t, "start")*60

		for range rapid.IntRange(1, most).Draw(t, "samples") {
			now += 60 * rapid.SampledFrom([]int64{1, 1, 2, 5, 5, 9, 30, 200}).Draw(t, "minutes")
			cpu, memory := rapid.Int64Range(0, 5000).Draw(t, "millis"), rapid.Int64Range(0, 1<<40).Draw(t, "bytes")

			s := history.Sample{
				Time: now, Minutes: 1, CPUMillis: float64(cpu), CPUTotalMillis: float64(cpu),
				MemoryBytes: float64(memory), MemoryTotalBytes: float64(memory),
				CPUKnown: rapid.IntRange(0, 9).Draw(t, "cpu known") > 0, MemoryKnown: rapid.IntRange(0, 9).Draw(t, "memory known") > 0,
			}
			samples = append(samples, s)
			ours.Observe(s)

			if rapid.IntRange(0, 9).Draw(t, "kill") == 0 {
				kills = append(kills, kill{now, memory + 1})
				ours.Kill(now, memory+1)
			}
		}

		now += 60 * rapid.Int64Range(0, 30).Draw(t, "later")
		want, got := readerSnapshot(t, request, samples, kills, now), ours.Snapshot(at(now))

		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty(), cmp.Transformer("filled", filled)); diff != "" {
			t.Fatalf("snapshot (-reader +got):\n%s", diff)
		}
	})
}

// filled writes out the weights of a histogram that are left out because there is nothing.
func filled(h *usage.Histogram) usage.Histogram {
	whole := *h
	whole.Weights = append(make([]float64, 0, h.Buckets.Count), h.Weights...)

	for len(whole.Weights) < h.Buckets.Count {
		whole.Weights = append(whole.Weights, 0)
	}

	return whole
}

func readerSnapshot(t *rapid.T, request usage.Request, samples []history.Sample, kills []kill, now int64) usage.Snapshot {
	plan, err := reader.NewPlan(request)
	require.NoError(t, err)

	h := plan.New(1000 * now)

	hour := func(seconds int64) (reader.Hour, int64) {
		start := seconds / 3600 * 60

		return h.Hour("r", start), seconds/60 - start
	}

	for _, s := range samples {
		of, minute := hour(s.Time)

		if s.CPUKnown {
			of.CPU(minute, int64(s.CPUMillis)*1_000_000, 1)
		}

		if s.MemoryKnown {
			of.Resident(minute, int64(s.MemoryBytes))
		}

		if s.CPUKnown || s.MemoryKnown {
			of.Sampled(minute, s.Time%60*1000)
		}
	}

	for _, k := range kills {
		of, minute := hour(k.seconds)
		of.Kill(60_000*minute, k.bytes)
	}

	return h.Snapshot("")
}
