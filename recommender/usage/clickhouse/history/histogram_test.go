package history_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// weights are those of a histogram that are not 0, by bucket.
func weights(h *usage.Histogram) map[int]float64 {
	found := map[int]float64{}

	for i, weight := range h.Weights {
		if weight != 0 {
			found[i] = weight
		}
	}

	return found
}

func TestHistogramWithOneDecay(t *testing.T) {
	request := shaped(func(h *usage.HistogramRequest) {
		h.Span = 3 * time.Hour
		h.CPU.Decays = []usage.Decay{{HalfLife: time.Hour, Share: 1}}
	})
	h := tell(t, request)
	h.cpu("r1", 30, core)
	h.cpu("r2", 30, core)
	h.cpu("r1", 90, 2*core)
	h.cpu("r1", 150, 3*core)
	h.cpu("r1", 179, 0)
	h.cpu("r1", 180, 9*core) // beyond the span

	got := h.Snapshot("a/b").CPUHistogram
	b := usage.CPUBuckets()
	oldest := math.Exp2(-149. / 60)
	all := 2 + 0.5 + 0.25 + oldest
	require.InDeltaMapValues(t, map[int]float64{
		b.Index(1000): 2 / all, b.Index(2000): 0.5 / all, b.Index(3000): 0.25 / all, 0: oldest / all,
	}, weights(got), 1e-9)
	require.EqualValues(t, 5, got.Samples)
	require.Equal(t, noon.Truncate(time.Minute).Add(-179*time.Minute), got.First)
	require.Equal(t, noon.Truncate(time.Minute).Add(-30*time.Minute), got.Last)
}

// The mixture has the shares of what each decay would give by itself, though one of them makes far less weight.
func TestHistogramWithSeveralDecays(t *testing.T) {
	request := shaped(func(h *usage.HistogramRequest) {
		h.Span = 24 * time.Hour
		h.CPU.Decays = []usage.Decay{{HalfLife: time.Minute, Share: 0.25}, {HalfLife: 10 * time.Hour, Share: 0.75}}
	})
	h := tell(t, request)
	h.cpu("r", 0, core)
	h.cpu("r", 600, 2*core)

	b := usage.CPUBuckets()
	require.InDeltaMapValues(t, map[int]float64{b.Index(1000): 0.25 + 0.75/1.5, b.Index(2000): 0.75 * 0.5 / 1.5},
		weights(h.Snapshot("a/b").CPUHistogram), 1e-9)
}

// Only a replica's peak of each day counts, and days begin at midnight UTC.
func TestHistogramOfDailyPeaks(t *testing.T) {
	h := tell(t, shaped(func(*usage.HistogramRequest) {}))
	const today, yesterday, thatMorning = 10, 12*60 + 1, 36*60 - 1

	h.resident("r1", today, 100e6)
	h.resident("r1", today+60, 80e6)
	h.resident("r2", today, 400e6)
	h.resident("r1", yesterday, 200e6)
	h.resident("r1", thatMorning, 300e6)

	got := h.Snapshot("a/b").MemoryHistogram
	b := usage.MemoryBuckets()
	require.InDeltaMapValues(t, map[int]float64{b.Index(100e6): 0.4, b.Index(400e6): 0.4, b.Index(300e6): 0.2},
		weights(got), 1e-9)
	require.EqualValues(t, 3, got.Samples)
}

// Samples of which the newest is old weigh as those of which it is not.
func TestHistogramOfOldSamples(t *testing.T) {
	request := shaped(func(h *usage.HistogramRequest) { h.CPU.Decays[0].HalfLife = time.Minute })

	h := tell(t, request)
	h.cpu("r", 8*24*60-2, core)
	h.cpu("r", 8*24*60-1, 2*core)

	b := usage.CPUBuckets()
	require.InDeltaMapValues(t, map[int]float64{b.Index(1000): 2. / 3, b.Index(2000): 1. / 3},
		weights(h.Snapshot("a/b").CPUHistogram), 1e-9)
}

func TestHistogramsAreThereWhenTheyAreAskedFor(t *testing.T) {
	snapshot := tell(t, shaped(func(*usage.HistogramRequest) {})).Snapshot("a/b")
	require.Equal(t, &usage.Histogram{Buckets: usage.CPUBuckets()}, snapshot.CPUHistogram)
	require.Equal(t, &usage.Histogram{Buckets: usage.MemoryBuckets()}, snapshot.MemoryHistogram)

	snapshot = tell(t, hour(true)).Snapshot("a/b")
	require.Nil(t, snapshot.CPUHistogram)
	require.Nil(t, snapshot.MemoryHistogram)
}
