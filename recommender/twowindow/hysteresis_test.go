package twowindow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// decide changes some constants and some of both windows, and decides for 16 cores and 20 GiB.
func decide(
	t *testing.T, change func(*twowindow.Params), see func(*usage.Window), state recommender.State,
) recommender.Decision {
	t.Helper()

	params := twowindow.Defaults()
	change(&params)

	r, err := twowindow.New(params)
	require.NoError(t, err)

	in := input(of(16_000, 20), policy.Policy{}, steadyMemory(smallSpan, 8_000), steadyMemory(largeSpan, 8_000))
	in.State = state

	for i := range in.Usage.Windows {
		see(&in.Usage.Windows[i])
	}

	return recommender.Decide(r, in)
}

// resident sets the peak of the resident memory, which varies little.
func resident(gibibytes float64) func(*usage.Window) {
	return func(w *usage.Window) {
		w.ResidentMemoryPeakBytes = int64(gibibytes * float64(gib))
		w.ResidentMemoryMedianBytes = w.ResidentMemoryPeakBytes
		w.QueryMemoryPeakBytes = 0
	}
}

func TestMemoryBand(t *testing.T) {
	t.Parallel()

	band := func(p *twowindow.Params) { p.MemoryBandDown, p.MemoryBandUp = 0.15, 0.05 }

	for name, c := range map[string]struct {
		peak float64 // times 1.25 is the need; the allocation is 20 GiB, the band from 17 to 21
		want float64
	}{
		"far below": {12, 15}, "just below": {13.5, 16.875}, "edge below": {13.6, 20}, "within": {15, 20},
		"at": {16, 20}, "edge above": {16.8, 20}, "just above": {16.9, 21.125}, "far above": {20, 25},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got := decide(t, band, resident(c.peak), recommender.State{})
			require.InDelta(t, c.want, float64(got.Recommended.MemoryBytes)/float64(gib), 1e-6)

			target := got.Explanation.Windows[0].Memory.TargetBytes
			require.InDelta(t, c.peak*1.25, float64(target)/float64(gib), 1e-6, "the trend is seen from what is not kept")
		})
	}

	killed := func(w *usage.Window) {
		resident(13)(w)
		w.OOMKills, w.OOMKillResidentBytes = 1, 14*gib
	}
	require.Equal(t, 21*gib, decide(t, band, killed, recommender.State{}).Recommended.MemoryBytes, "evidence is followed at once")
}

func TestClassBand(t *testing.T) {
	t.Parallel()

	band := func(p *twowindow.Params) { p.SpikyBand = 0.2 }
	varied := func(ratio float64) func(*usage.Window) {
		return func(w *usage.Window) {
			w.ResidentMemoryPeakBytes, w.QueryMemoryPeakBytes = 10*gib, 0
			w.ResidentMemoryMedianBytes = int64(float64(10*gib) / ratio)
		}
	}

	const stable, spiky = recommender.MemoryStable, recommender.MemorySpiky

	state := recommender.State{}

	for _, step := range []struct {
		ratio float64
		want  recommender.MemoryClass
	}{
		{1.4, stable}, {1.49, stable}, {1.51, spiky}, {1.49, spiky}, {1.25, spiky}, {1.19, stable}, {1.3, stable}, {1.51, spiky},
	} {
		got := decide(t, band, varied(step.ratio), state)
		state = got.State
		require.Equal(t, step.want, got.Explanation.Windows[0].Memory.Class, "at %g", step.ratio)
		require.Equal(t, [2]recommender.MemoryClass{step.want, step.want}, state.Classes)
	}

	unknown := decide(t, band, func(w *usage.Window) { w.ResidentMemoryMedianBytes = 0 }, state)
	require.Equal(t, state.Classes, unknown.State.Classes, "what is not known changes nothing")
}

func TestEvidenceDecays(t *testing.T) {
	t.Parallel()

	decay := func(p *twowindow.Params) { p.OOMDecay = 10 * time.Hour }
	keep := func(*twowindow.Params) {}
	seen := func(age time.Duration) func(*usage.Window) {
		return func(w *usage.Window) {
			resident(20)(w)
			w.MemoryRejections, w.RejectionResidentBytes, w.NewestRejectionTime = 3, 20*gib, noon.Add(-age)
		}
	}

	for age, want := range map[time.Duration]float64{0: 30, 2 * time.Hour: 29, 5 * time.Hour: 27.5, 10 * time.Hour: 25, 20 * time.Hour: 25} {
		got := decide(t, decay, seen(age), recommender.State{}).Recommended.MemoryBytes
		require.InDelta(t, want, float64(got)/float64(gib), 1e-6, "after %s", age)
	}

	require.Equal(t, 30*gib, decide(t, keep, seen(20*time.Hour), recommender.State{}).Recommended.MemoryBytes)

	unknown := func(w *usage.Window) {
		seen(0)(w)
		w.NewestRejectionTime = time.Time{}
	}
	require.Equal(t, 30*gib, decide(t, decay, unknown, recommender.State{}).Recommended.MemoryBytes, "of unknown age counts as new")
}

// A service that was given more memory uses more. The refusals from before then do not make it grow once more.
func TestOldEvidenceDoesNotFeedItself(t *testing.T) {
	t.Parallel()

	refused := func(peak float64) func(*usage.Window) {
		return func(w *usage.Window) {
			resident(peak)(w)
			w.MemoryRejections, w.RejectionResidentBytes, w.NewestRejectionTime = 3, 16*gib, noon.Add(-time.Hour)
		}
	}

	first := decide(t, func(*twowindow.Params) {}, refused(16), recommender.State{}).Recommended.MemoryBytes
	require.Equal(t, 24*gib, first)

	grown := decide(t, func(*twowindow.Params) {}, refused(19), recommender.State{}).Recommended.MemoryBytes
	require.Equal(t, 24*gib, grown, "19 GiB with their own headroom fit in what was given")
}
