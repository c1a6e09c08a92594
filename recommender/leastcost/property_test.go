package leastcost_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func drawParams(t *rapid.T) leastcost.Params {
	p := plain(1)

	for _, w := range []*leastcost.Weighing{&p.CPU, &p.Memory} {
		w.Price = rapid.Float64Range(0.1, 1e4).Draw(t, "price")
		w.Headroom = rapid.Float64Range(1, 1.5).Draw(t, "headroom")
		w.GainUp = rapid.Float64Range(0, 0.5).Draw(t, "gain up")
		w.GainDown = rapid.Float64Range(0, 0.5).Draw(t, "gain down")
		w.MinEnough = rapid.SampledFrom([]float64{0, 0.5, 0.95}).Draw(t, "min enough")
		w.BandUp = rapid.Float64Range(0, 0.2).Draw(t, "band up")
		w.BandDown = rapid.Float64Range(0, 0.2).Draw(t, "band down")
		w.Hold = rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "hold")
	}

	return p
}

// drawUse draws how a use spreads over amounts.
func drawUse(t *rapid.T, label string) map[float64]float64 {
	amounts := rapid.SliceOfNDistinct(rapid.Float64Range(0.01, 100), 1, 8, rapid.ID[float64]).Draw(t, label)
	use := make(map[float64]float64, len(amounts))

	for _, amount := range amounts {
		use[amount] = 1 / float64(len(amounts))
	}

	return use
}

func drawInput(t *rapid.T) recommender.Input {
	in := input(drawUse(t, "cores"), drawUse(t, "gibibytes"))
	in.Usage.Windows[0].CPUPeakMillis = rapid.Int64Range(1, 100_000).Draw(t, "newest CPU")
	in.Usage.Windows[0].ResidentMemoryPeakBytes = rapid.Int64Range(1, 100*gib).Draw(t, "newest memory")

	if rapid.Bool().Draw(t, "killed") {
		in.Usage.Windows[1].OOMKills = 1
		in.Usage.Windows[1].OOMKillResidentBytes = rapid.Int64Range(0, 100*gib).Draw(t, "resident at the kill")
		in.Usage.Windows[1].NewestOOMKillTime = noon.Add(-time.Duration(rapid.IntRange(0, 90_000).Draw(t, "age")) * time.Second)
	}

	return in
}

func TestASecondEvaluationChangesNothing(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, err := leastcost.New(drawParams(t))
		require.NoError(t, err)

		in := drawInput(t)
		first := recommender.Decide(r, in)
		require.Equal(t, first, recommender.Decide(r, in), "the same input gives the same answer")

		in.State, in.Now = first.State, in.Now.Add(time.Second)
		require.Equal(t, first.Recommended, recommender.Decide(r, in).Recommended)
	})
}

// While the data is fresh, a size never falls below what is in use now and the headroom on it.
func TestNeverBelowTheNewestUse(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		params := drawParams(t)
		r, err := leastcost.New(params)
		require.NoError(t, err)

		in := drawInput(t)
		newest := in.Usage.Windows[0]
		got := recommender.Decide(r, in).Recommended

		for _, c := range []struct {
			from, to, newest int64
			headroom         float64
		}{
			{in.Allocation.CPUMillis, got.CPUMillis, newest.CPUPeakMillis, params.CPU.Headroom},
			{in.Allocation.MemoryBytes, got.MemoryBytes, newest.ResidentMemoryPeakBytes, params.Memory.Headroom},
		} {
			if c.to < c.from {
				require.GreaterOrEqual(t, float64(c.to)+1, float64(c.newest)*c.headroom)
			}
		}
	})
}

func TestMonotoneInTheNewestUse(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		params := drawParams(t)
		params.CPU.GainUp, params.Memory.GainUp = 0, 0
		r, err := leastcost.New(params)
		require.NoError(t, err)

		in := drawInput(t)
		less := recommender.Decide(r, in).Recommended

		in.Usage.Windows[0].CPUPeakMillis += rapid.Int64Range(0, 50_000).Draw(t, "more CPU")
		in.Usage.Windows[0].ResidentMemoryPeakBytes += rapid.Int64Range(0, 50*gib).Draw(t, "more memory")
		more := recommender.Decide(r, in).Recommended

		// Beyond the band, more use never asks for less; within it a size may be kept that is not quite the best.
		require.GreaterOrEqual(t, float64(more.CPUMillis)*(1+params.CPU.BandUp)+1, float64(less.CPUMillis))
		require.GreaterOrEqual(t, float64(more.MemoryBytes)*(1+params.Memory.BandUp)+1, float64(less.MemoryBytes))
	})
}

// On a use that stays as it is, each answer applied, a size changes at most once in either resource after saturation has
// been overcome, and then stays.
func TestNoOscillationOnConstantUse(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, err := leastcost.New(drawParams(t))
		require.NoError(t, err)

		in := drawInput(t)
		in.Usage.Windows[1].OOMKills, in.Usage.Windows[1].OOMKillResidentBytes = 0, 0

		sizes := make([]int64, 0, 200)

		for range 100 {
			got := recommender.Decide(r, in)
			sizes = append(sizes, got.Recommended.CPUMillis, got.Recommended.MemoryBytes)
			in.Allocation, in.State, in.Now = got.Recommended, got.State, in.Now.Add(2*time.Hour)
			in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
		}

		last := len(sizes) - 2
		for i := last - 40; i < last; i += 2 {
			require.Equal(t, sizes[last], sizes[i], "CPU")
			require.Equal(t, sizes[last+1], sizes[i+1], "memory")
		}
	})
}

func TestBadDataLowersNothing(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		r, err := leastcost.New(drawParams(t))
		require.NoError(t, err)

		in := drawInput(t)

		switch rapid.IntRange(0, 9).Draw(t, "fault") {
		case 9: // more than the last bucket can tell
			for _, h := range []*usage.Histogram{in.Usage.CPUHistogram, in.Usage.MemoryHistogram} {
				h.Weights[h.Buckets.Count-1] = 0.5
			}

		case 0:
			in.Usage.CPUHistogram, in.Usage.MemoryHistogram = nil, nil
		case 1:
			in.Usage.Windows = nil
		case 2:
			in.Usage.NewestSample = noon.Add(-time.Hour)
		case 3:
			in.Usage.NewestSample = noon.Add(time.Hour)
		case 4:
			in.Usage.Windows[1].Coverage = rapid.SampledFrom([]float64{0, 0.5, -1, math.NaN()}).Draw(t, "coverage")
		case 5:
			in.Usage.Windows[0].CPUPeakMillis, in.Usage.Windows[0].ResidentMemoryPeakBytes = -1, -1
		case 6:
			in.Usage.CPUHistogram.First = noon.Add(-time.Hour)
			in.Usage.MemoryHistogram.First = noon.Add(-time.Hour)
		case 7:
			in.Usage.CPUHistogram.Weights, in.Usage.MemoryHistogram.Weights = nil, nil
		case 8:
			in.Usage.CPUHistogram.Buckets.Growth, in.Usage.MemoryHistogram.Buckets.Growth = 1.5, 1.5
		}

		got := recommender.Decide(r, in).Recommended
		require.GreaterOrEqual(t, got.CPUMillis, in.Allocation.CPUMillis)
		require.GreaterOrEqual(t, got.MemoryBytes, in.Allocation.MemoryBytes)
	})
}

// Out of memory at the maximum says LIMITED, again and again with the same need.
func TestOutOfMemoryAtTheMaximumDoesNotFeedItself(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{4: 1}, map[float64]float64{31: 1})
	in.Policy = policy.Policy{Name: "p", Max: in.Allocation.Resources()}

	var first recommender.Decision

	for i := range 50 {
		in.Usage.Windows[1].OOMKills = int64(i + 1)
		in.Usage.Windows[1].OOMKillResidentBytes = in.Allocation.MemoryBytes
		in.Usage.Windows[1].NewestOOMKillTime = in.Now

		got := recommender.Decide(rule(t, plain(20)), in)
		if i == 0 {
			first = got
		}

		require.Equal(t, recommender.StatusLimited, got.Status)
		require.Equal(t, first.Uncapped.MemoryBytes, got.Uncapped.MemoryBytes)
		require.Equal(t, in.Allocation.MemoryBytes, got.Recommended.MemoryBytes)

		in.State, in.Now = got.State, in.Now.Add(10*time.Minute)
		in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
	}
}

// Many samples in one bucket are one bucket: the histogram's shape does not matter to a use that never varies.
func TestConstantUseNeedsItsHeadroomOnly(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		params := plain(20)
		params.CPU.Headroom = rapid.Float64Range(1, 2).Draw(t, "headroom")
		cores := rapid.Float64Range(0.05, 7).Draw(t, "cores")

		r, err := leastcost.New(params)
		require.NoError(t, err)

		got := recommender.Decide(r, input(map[float64]float64{cores: 1}, map[float64]float64{8: 1}))
		if want := cores * 1000 * params.CPU.Headroom; want < 7_000 {
			require.InEpsilon(t, want, float64(got.Recommended.CPUMillis), 0.08)
		}
	})
}
