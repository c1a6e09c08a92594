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
)

const noon = int64(1_772_452_800) // 2026-03-02 12:00:00 UTC

func at(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

// TestSnapshotEqualsNaive draws histories with uneven steps, gaps and unknown values, and snapshots at any moment.
func TestSnapshotEqualsNaive(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		request := drawRequest(t)
		h, naive := history.New(request), &past{}
		now := noon + rapid.Int64Range(0, 86_400).Draw(t, "start")

		for range rapid.IntRange(1, 40).Draw(t, "samples") {
			before := now
			now += rapid.OneOf(
				rapid.Just(int64(300)), rapid.Int64Range(60, 400), rapid.Int64Range(600, 7_200),
			).Draw(t, "step")

			// The store may be asked at any time between two samples.
			for asked := before; rapid.Bool().Draw(t, "ask") && asked < now; {
				asked = rapid.Int64Range(asked, now-1).Draw(t, "asked")
				compare(t, naive.snapshot(request, at(asked)), h.Snapshot(at(asked)))
			}

			s := drawSample(t, now, before)
			h.Observe(s)

			naive.samples = append(naive.samples, s)

			if rapid.IntRange(0, 9).Draw(t, "kill") == 0 {
				k := kill{now, rapid.Int64Range(1, 100).Draw(t, "killed")}
				h.Kill(k.seconds, k.bytes)

				naive.kills = append(naive.kills, k)
			}

			compare(t, naive.snapshot(request, at(now)), h.Snapshot(at(now)))
		}
	})
}

func drawRequest(t *rapid.T) usage.Request {
	request := usage.Request{Totals: rapid.Bool().Draw(t, "totals")}

	for range rapid.IntRange(0, 3).Draw(t, "windows") {
		request = request.WithWindow(time.Duration(rapid.IntRange(1, 18).Draw(t, "window")) * 10 * time.Minute)
	}

	if rapid.Bool().Draw(t, "histograms") {
		request.Histograms = usage.HistogramRequest{
			// An interval is never so long that it outlives its peak.
			Span: time.Duration(rapid.IntRange(4, 12).Draw(t, "span")) * time.Hour,
			CPU: usage.HistogramShape{
				Buckets: usage.Buckets{First: 1, Growth: 1.5, Count: 12},
				Decays:  []usage.Decay{{HalfLife: time.Hour, Share: 0.25}, {HalfLife: 5 * time.Minute, Share: 0.75}},
			},
			Memory: usage.HistogramShape{
				Buckets: usage.Buckets{First: 2, Growth: 1.1, Count: 20}, Decays: []usage.Decay{{HalfLife: 24 * time.Hour, Share: 1}},
				PeakInterval: time.Duration(rapid.IntRange(0, 2).Draw(t, "interval")) * time.Hour,
			},
		}
	}

	return request
}

func drawSample(t *rapid.T, now, before int64) history.Sample {
	value := rapid.OneOf(rapid.Float64Range(0, 5), rapid.SampledFrom([]float64{0, 1, 2, 100}))
	whole := rapid.Int64Range(0, 100)

	return history.Sample{
		Time: now, Minutes: min(5, max(1, (now-before)/60)),
		CPUMillis: value.Draw(t, "cpu"), CPUTotalMillis: value.Draw(t, "cpu total"),
		MemoryBytes: float64(whole.Draw(t, "memory")), MemoryTotalBytes: float64(whole.Draw(t, "memory total")),
		CPUKnown: rapid.IntRange(0, 5).Draw(t, "cpu known") > 0, MemoryKnown: rapid.IntRange(0, 5).Draw(t, "memory known") > 0,
	}
}

func compare(t *rapid.T, want, got usage.Snapshot) {
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("snapshot at %s (-naive +got):\n%s", got.ReadTime, diff)
	}
}

// TestSpikeThatLeavesTheWindow holds that a spike of one minute, which the median smooths away, does not become the peak
// when it is about to leave the window.
func TestSpikeThatLeavesTheWindow(t *testing.T) {
	t.Parallel()

	h := history.New(usage.Request{Windows: []time.Duration{time.Hour}})

	for i := range int64(90) {
		cpu := 1000.0
		if i == 15 {
			cpu = 64_000
		}

		h.Observe(history.Sample{Time: noon + 60*i, Minutes: 1, CPUMillis: cpu, CPUKnown: true})

		if i > 15 {
			require.EqualValues(t, 1000, h.Snapshot(at(noon + 60*i)).Windows[0].CPUPeakMillis, "after %d minutes", i)
		}
	}
}

func TestFiveMinuteSamples(t *testing.T) {
	t.Parallel()

	h := history.New(usage.Request{Windows: []time.Duration{30 * time.Minute}})
	for i, cpu := range []float64{100, 900, 300, 200} {
		h.Observe(history.Sample{
			Time: noon + 300*int64(i), Minutes: 5, CPUMillis: cpu, CPUKnown: true, MemoryBytes: cpu * 10, MemoryKnown: true,
		})
	}

	got := h.Snapshot(at(noon + 900))
	require.Equal(t, usage.Window{
		Length: 30 * time.Minute, Coverage: 2. / 3, CPUPeakMillis: 600, // the mean of 900 and 300
		ResidentMemoryPeakBytes: 9000, ResidentMemoryMedianBytes: 2500,
	}, got.Windows[0])
	require.Equal(t, at(noon+900), got.NewestSample)
	require.Equal(t, at(noon+900), got.ReadTime)
}

func TestIdleIsNotUnmeasured(t *testing.T) {
	t.Parallel()

	h := history.New(usage.Request{Windows: []time.Duration{time.Hour}})
	require.Zero(t, h.Snapshot(at(noon)).Windows[0].CPUPeakMillis)

	h.Observe(history.Sample{Time: noon, Minutes: 1, CPUKnown: true})
	require.EqualValues(t, 1, h.Snapshot(at(noon)).Windows[0].CPUPeakMillis)
}
