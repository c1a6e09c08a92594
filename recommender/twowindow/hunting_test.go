package twowindow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// hunted is an evaluation whose outcome depends on the trend: the large window says none and the small one down, with a
// CPU need of 7543 millicores.
func hunted(state recommender.State) recommender.Input {
	in := input(of(16_000, keepMemory), policy.Policy{}, steadyMemory(smallSpan, 4_000), steadyMemory(largeSpan, 8_000))
	in.State = state

	return in
}

func TestTrendIsStrictAndUnrounded(t *testing.T) {
	t.Parallel()

	for previous, trending := range map[int64]bool{7_542: true, 7_543: false, 7_544: false} {
		got := recommender.Decide(rule(t), hunted(after(previous, keepMemory*gib)))
		require.Equal(t, trending, got.Explanation.Merges[0].Hunting.Trending)
		require.Equal(t, noon.Add(-slot), got.Explanation.Merges[0].Hunting.PreviousTime)
		require.Equal(t, previous, got.Explanation.Merges[0].Hunting.PreviousSmall.CPUMillis)
		require.Equal(t, int64(7_543), got.Explanation.Merges[0].Hunting.CurrentSmall.CPUMillis)
	}
}

func TestWhichPreviousIsCompared(t *testing.T) {
	t.Parallel()

	lower, higher := size.Resources{CPUMillis: 7_000}, size.Resources{CPUMillis: 8_000}
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }

	for name, c := range map[string]struct {
		state recommender.State
		want  recommender.Pick
	}{
		"none":                   {recommender.State{}, recommender.PickHold},
		"latest, half a slot":    {recommender.State{Trend: recommender.Trend{Time: ago(slot / 2), Small: lower, PrevTime: ago(slot), PrevSmall: higher}}, recommender.PickLarge},
		"latest too young":       {recommender.State{Trend: recommender.Trend{Time: ago(slot/2 - 1), Small: higher, PrevTime: ago(slot), PrevSmall: lower}}, recommender.PickLarge},
		"latest too young alone": {recommender.State{Trend: recommender.Trend{Time: ago(time.Second), Small: lower}}, recommender.PickHold},
		"as old as the window":   {recommender.State{Trend: recommender.Trend{Time: ago(smallSpan), Small: lower}}, recommender.PickLarge},
		"older than the window":  {recommender.State{Trend: recommender.Trend{Time: ago(smallSpan + 1), Small: lower}}, recommender.PickHold},
		"clock a little behind":  {recommender.State{Trend: recommender.Trend{Time: ago(-time.Minute), Small: higher, PrevTime: ago(slot), PrevSmall: lower}}, recommender.PickLarge},
		"from the future":        {recommender.State{Trend: recommender.Trend{Time: ago(-time.Hour), Small: higher, PrevTime: ago(slot), PrevSmall: lower}}, recommender.PickHold},
		"CPU not known then":     {recommender.State{Trend: recommender.Trend{Time: ago(slot), Small: size.Resources{MemoryBytes: 1}}}, recommender.PickHold},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, recommender.Decide(rule(t), hunted(c.state)).Explanation.Merges[0].Picked)
		})
	}
}

func TestStateAdvances(t *testing.T) {
	t.Parallel()

	now := size.Resources{CPUMillis: 7_543, MemoryBytes: keepMemory * gib}
	old := after(5_000, gib)
	young := old
	young.Trend.Time = noon.Add(-time.Minute)
	future := old
	future.Trend.Time = noon.Add(time.Hour)

	for name, c := range map[string]struct {
		state    recommender.State
		periodic bool
		want     recommender.State
	}{
		"first":           {recommender.State{}, true, recommender.State{Trend: recommender.Trend{Time: noon, Small: now}}},
		"next slot":       {old, true, recommender.State{Trend: recommender.Trend{Time: noon, Small: now, PrevTime: old.Trend.Time, PrevSmall: old.Trend.Small}}},
		"not periodic":    {old, false, old},
		"same slot":       {young, true, young},
		"from the future": {future, true, recommender.State{Trend: recommender.Trend{Time: noon, Small: now}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := hunted(c.state)
			in.Periodic = c.periodic
			require.Equal(t, c.want.Trend, recommender.Decide(rule(t), in).State.Trend)
		})
	}
}

func TestSilenceDoesNotAdvanceTheState(t *testing.T) {
	t.Parallel()

	in := hunted(after(5_000, gib))
	in.Usage.Windows[0].CPUPeakMillis, in.Usage.Windows[0].ResidentMemoryPeakBytes = 0, 0
	require.Equal(t, in.State.Trend, recommender.Decide(rule(t), in).State.Trend)
}
