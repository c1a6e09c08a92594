package usage_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func full() usage.Window {
	return usage.Window{
		Length: 3 * time.Hour, Coverage: 1, CPUPeakMillis: 1, QueryMemoryPeakBytes: 2, ResidentMemoryPeakBytes: 3,
		ResidentMemoryMedianBytes: 2, MemoryRejections: 1, OOMKills: 1, OOMKillResidentBytes: 4,
	}
}

func TestPlausibleKeepsWhatCanBeTrue(t *testing.T) {
	t.Parallel()

	for _, w := range []usage.Window{{}, full()} {
		got, plausible := w.Plausible()
		require.True(t, plausible)
		require.Equal(t, w, got)
	}
}

func TestPlausibleDropsOnlyWhatCannotBeTrue(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct{ breaks, clears func(*usage.Window) }{
		"coverage NaN":      {func(w *usage.Window) { w.Coverage = math.NaN() }, func(w *usage.Window) { w.Coverage = 0 }},
		"coverage above 1":  {func(w *usage.Window) { w.Coverage = 1.1 }, func(w *usage.Window) { w.Coverage = 0 }},
		"coverage negative": {func(w *usage.Window) { w.Coverage = -1 }, func(w *usage.Window) { w.Coverage = 0 }},
		"CPU negative":      {func(w *usage.Window) { w.CPUPeakMillis = -1 }, func(w *usage.Window) { w.CPUPeakMillis = 0 }},
		"CPU absurd": {
			func(w *usage.Window) { w.CPUPeakMillis = size.MaxCPUMillis + 1 },
			func(w *usage.Window) { w.CPUPeakMillis = 0 },
		},
		"query absurd": {
			func(w *usage.Window) { w.QueryMemoryPeakBytes = math.MaxInt64 },
			func(w *usage.Window) { w.QueryMemoryPeakBytes = 0 },
		},
		"resident negative": {
			func(w *usage.Window) { w.ResidentMemoryPeakBytes = math.MinInt64 },
			func(w *usage.Window) { w.ResidentMemoryPeakBytes = 0 },
		},
		"median negative": {
			func(w *usage.Window) { w.ResidentMemoryMedianBytes = -5 },
			func(w *usage.Window) { w.ResidentMemoryMedianBytes = 0 },
		},
		"kill absurd": {
			func(w *usage.Window) { w.OOMKillResidentBytes = math.MaxInt64 },
			func(w *usage.Window) { w.OOMKillResidentBytes = 0 },
		},
		"kills negative":      {func(w *usage.Window) { w.OOMKills = -1 }, func(w *usage.Window) { w.OOMKills = 0 }},
		"rejections negative": {func(w *usage.Window) { w.MemoryRejections = -1 }, func(w *usage.Window) { w.MemoryRejections = 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			broken, want := full(), full()
			c.breaks(&broken)
			c.clears(&want)

			got, plausible := broken.Plausible()
			require.False(t, plausible)
			require.Equal(t, want, got)
		})
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()

	require.True(t, usage.Window{Length: time.Hour, Coverage: 1}.Empty())
	require.False(t, usage.Window{CPUPeakMillis: 1}.Empty())
	require.False(t, usage.Window{QueryMemoryPeakBytes: 1}.Empty())
	require.False(t, usage.Window{ResidentMemoryPeakBytes: 1}.Empty())
	require.False(t, usage.Window{OOMKillResidentBytes: 1}.Empty())
}

func TestSnapshotWindow(t *testing.T) {
	t.Parallel()

	snapshot := usage.Snapshot{Windows: []usage.Window{{Length: time.Hour}, full()}}
	w, ok := snapshot.Window(3 * time.Hour)
	require.True(t, ok)
	require.Equal(t, full(), w)

	_, ok = snapshot.Window(time.Minute)
	require.False(t, ok)
}
