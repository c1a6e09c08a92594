package twowindow_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	require.NoError(t, twowindow.Defaults().Validate())

	r := rule(t)
	require.Equal(t, twowindow.Name, r.Name())
	require.Equal(t, []time.Duration{smallSpan, largeSpan}, r.Needs().Windows)
}

func TestNewReportsEveryProblem(t *testing.T) {
	t.Parallel()

	_, err := twowindow.New(twowindow.Params{SpikyRatio: math.NaN(), SpikyMultiplier: math.Inf(1), OOMMultiplier: -1})
	require.ErrorIs(t, err, twowindow.ErrParams)

	for _, says := range []string{
		"small window", "large window", "CPU thresholds", "spiky multiplier", "stable multiplier", "OOM multiplier",
		"spiky ratio", "minimum coverage", "maximum sample age", "trend interval",
	} {
		require.ErrorContains(t, err, says)
	}

	for _, target := range []float64{0.3, 0.8, -1, math.NaN()} {
		params := twowindow.Defaults()
		params.CPUTarget = target
		_, err = twowindow.New(params)
		require.ErrorContains(t, err, "CPU target")
	}
}

func TestEveryConstantIsAParameter(t *testing.T) {
	t.Parallel()

	params := twowindow.Defaults()
	params.SmallWindow, params.LargeWindow = time.Hour, 2*time.Hour
	params.CPUMinThreshold, params.CPUMaxThreshold, params.CPUTarget = 0.2, 0.8, 0.5
	params.StableMultiplier, params.OOMMultiplier = 2, 3

	r, err := twowindow.New(params)
	require.NoError(t, err)

	in := input(of(1_000, 1), policy.Policy{}, steadyMemory(time.Hour, 900), steadyMemory(2*time.Hour, 900))
	got := recommender.Decide(r, in)
	require.Equal(t, of(1_800, 16), got.Recommended)

	in.Usage.Windows[1].MemoryRejections = 1
	require.Equal(t, of(1_800, 24), recommender.Decide(r, in).Recommended)

	shown := map[string]float64{}
	for _, p := range got.Explanation.Parameters {
		shown[p.Name] = p.Value
	}

	require.Len(t, shown, 16)
	require.InDelta(t, 0.5, shown["cpu_target"], 0)
	require.InDelta(t, 7200, shown["large_window_seconds"], 0)
}
