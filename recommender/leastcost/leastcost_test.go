package leastcost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
)

// Use is 1 core for 90 % of the time and 10 cores for 10 %. With 1 core, the 10 % are short: the cost is 0.1 * price.
// With 10 cores, 90 % of the time 9 of 10 cores lie idle: the cost is 0.81. So the price decides from 8.1 on.
func TestThePriceDecides(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{1: 0.9, 10: 0.1}, map[float64]float64{8: 1})

	low := recommender.Decide(rule(t, plain(7.5)), in)
	roughly(t, 1_000, float64(low.Recommended.CPUMillis))
	require.InDelta(t, 0.1, fact(t, low, "cpu_best_short_share"), 1e-9)
	require.InDelta(t, 0.75, fact(t, low, "cpu_best_cost"), 0.03)
	require.Contains(t, low.Reasons, recommender.ReasonLeastCost)

	high := recommender.Decide(rule(t, plain(9)), in)
	roughly(t, 10_000, float64(high.Recommended.CPUMillis))
	require.Zero(t, fact(t, high, "cpu_best_short_share"))
	require.InDelta(t, 0.81, fact(t, high, "cpu_best_cost"), 0.03)
	roughly(t, float64(8*gib), float64(high.Recommended.MemoryBytes))
}

func TestHeadroomIsOnTop(t *testing.T) {
	t.Parallel()

	params := plain(20)
	params.CPU.Headroom, params.Memory.Headroom = 1.2, 1.5

	got := recommender.Decide(rule(t, params), input(map[float64]float64{4: 1}, map[float64]float64{10: 1}))
	roughly(t, 4_800, float64(got.Recommended.CPUMillis))
	roughly(t, float64(15*gib), float64(got.Recommended.MemoryBytes))
}

// A change is made for a gain, not for being the best: 4 of 8 cores idle cost 0.5, the best size about 0.
func TestTheGainDecides(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{4: 1}, map[float64]float64{30: 1})
	params := plain(20)

	params.CPU.GainDown = 0.6
	kept := recommender.Decide(rule(t, params), in)
	require.EqualValues(t, 8_000, kept.Recommended.CPUMillis)
	require.Contains(t, kept.Reasons, recommender.ReasonNotWorthChanging)

	params.CPU.GainDown = 0.4
	roughly(t, 4_000, float64(recommender.Decide(rule(t, params), in).Recommended.CPUMillis))

	params.CPU.BandDown = 0.6
	require.EqualValues(t, 8_000, recommender.Decide(rule(t, params), in).Recommended.CPUMillis, "a fall by half is within the band")
}

func TestAFallWaitsAfterARise(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{4: 1}, map[float64]float64{10: 1})
	params := plain(20)
	params.CPU.Hold, params.Memory.Hold = time.Hour, time.Hour
	in.State.Scaling = recommender.Scaling{Allocation: in.Allocation, UpTime: noon, CPUUpTime: noon.Add(-time.Minute)}

	got := recommender.Decide(rule(t, params), in)
	require.EqualValues(t, 8_000, got.Recommended.CPUMillis)
	require.Less(t, got.Recommended.MemoryBytes, 11*gib, "it was CPU that rose")

	in.State.Scaling.CPUUpTime = noon.Add(-time.Hour)
	require.Less(t, recommender.Decide(rule(t, params), in).Recommended.CPUMillis, int64(5_000))
}

// A size does not fall below what is in use now, however rare that was in the past.
func TestTheNewestUseCounts(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{1: 0.999, 6: 0.001}, map[float64]float64{4: 0.999, 20: 0.001})
	in.Usage.Windows[0].CPUPeakMillis, in.Usage.Windows[0].ResidentMemoryPeakBytes = 6_000, 20*gib

	got := recommender.Decide(rule(t, plain(1)), in)
	roughly(t, 6_000, float64(got.Recommended.CPUMillis))
	roughly(t, float64(20*gib), float64(got.Recommended.MemoryBytes))
}

// A service that uses all it has may need any amount more.
func TestSaturationGrows(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{7.9: 1}, map[float64]float64{30: 1})
	got := recommender.Decide(rule(t, plain(20)), in)
	require.EqualValues(t, 10_000, got.Recommended.CPUMillis)
	require.Contains(t, got.Reasons, recommender.ReasonCPUSaturated)

	in.Usage.Windows[0].CPUPeakMillis = 7_800
	require.Less(t, recommender.Decide(rule(t, plain(20)), in).Recommended.CPUMillis, int64(8_500), "not held back")
}

func TestSaturationHasToLast(t *testing.T) {
	t.Parallel()

	params := plain(20)
	params.SaturationPatience = 30 * time.Minute
	in := input(map[float64]float64{7.9: 1}, map[float64]float64{30: 1})
	step := func(newest int64, after time.Duration) int64 {
		in.Now, in.Usage.Windows[0].CPUPeakMillis = in.Now.Add(after), newest
		in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
		got := recommender.Decide(rule(t, params), in)
		in.State = got.State

		return got.Recommended.CPUMillis
	}

	require.Less(t, step(7_900, 0), int64(9_000))
	require.Less(t, step(7_900, 29*time.Minute), int64(9_000))
	require.EqualValues(t, 10_000, step(7_900, time.Minute))

	in.Allocation.CPUMillis = 10_000
	require.Less(t, step(9_900, 10*time.Minute), int64(12_000), "the new size has to prove too small as well")
	require.EqualValues(t, 12_500, step(9_900, 30*time.Minute))

	require.Less(t, step(9_900, 8*24*time.Hour), int64(12_000), "nobody has looked for a week")

	in.Allocation.CPUMillis = 8_000
	require.Less(t, step(7_000, time.Minute), int64(9_000))
	require.Less(t, step(7_900, time.Hour), int64(9_000), "it begins anew")
}

func TestEvidenceOfShortMemory(t *testing.T) {
	t.Parallel()

	killed := func(age time.Duration, resident int64) recommender.Decision {
		in := input(map[float64]float64{4: 1}, map[float64]float64{30: 1})
		in.Usage.Windows[1].OOMKills, in.Usage.Windows[1].OOMKillResidentBytes = 1, resident
		in.Usage.Windows[1].NewestOOMKillTime = noon.Add(-age)

		return recommender.Decide(rule(t, plain(20)), in)
	}

	fresh := killed(0, 32*gib)
	require.Equal(t, 48*gib, fresh.Recommended.MemoryBytes)
	require.Contains(t, fresh.Reasons, recommender.ReasonOOMKilled)

	require.Equal(t, 40*gib, killed(12*time.Hour, 32*gib).Recommended.MemoryBytes, "half of the headroom has decayed")
	roughly(t, float64(32*gib), float64(killed(24*time.Hour, 32*gib).Recommended.MemoryBytes))
	require.Equal(t, 45*gib, killed(0, 0).Recommended.MemoryBytes, "the killer was faster than the sampler: the peak counts")

	in := input(map[float64]float64{4: 1}, map[float64]float64{10: 1})
	in.Usage.Windows[1].MemoryRejections, in.Usage.Windows[1].RejectionResidentBytes = 7, 24*gib
	in.Usage.Windows[1].NewestRejectionTime = noon
	in.Usage.Windows[1].ResidentMemoryPeakBytes = 60 * gib
	rejected := recommender.Decide(rule(t, plain(20)), in)
	require.Equal(t, 36*gib, rejected.Recommended.MemoryBytes, "what was in use then, not what was used since")
	require.Contains(t, rejected.Reasons, recommender.ReasonMemoryRejected)
}

func TestParametersAreChecked(t *testing.T) {
	t.Parallel()

	require.NoError(t, plain(1).Validate())
	require.NoError(t, leastcost.Balanced().Validate())
	require.NoError(t, leastcost.Lean().Validate())

	for field, breaks := range map[string]func(*leastcost.Params){
		"span":                  func(p *leastcost.Params) { p.Span = time.Minute },
		"min_history":           func(p *leastcost.Params) { p.MinHistory = -1 },
		"evidence_window":       func(p *leastcost.Params) { p.EvidenceWindow = time.Minute },
		"oom_multiplier":        func(p *leastcost.Params) { p.OOMMultiplier = 0.9 },
		"saturation":            func(p *leastcost.Params) { p.Saturation = 0 },
		"saturation_multiplier": func(p *leastcost.Params) { p.SaturationMultiplier = 0 },
		"saturation_patience":   func(p *leastcost.Params) { p.SaturationPatience = -1 },
		"min_coverage":          func(p *leastcost.Params) { p.MinCoverage = 2 },
		"max_sample_age":        func(p *leastcost.Params) { p.MaxSampleAge = 0 },
		"cpu.price":             func(p *leastcost.Params) { p.CPU.Price = 0 },
		"cpu.headroom":          func(p *leastcost.Params) { p.CPU.Headroom = 0.99 },
		"memory.gain_up":        func(p *leastcost.Params) { p.Memory.GainUp = -1 },
		"memory.gain_down":      func(p *leastcost.Params) { p.Memory.GainDown = -1 },
		"memory.gain_exponent":  func(p *leastcost.Params) { p.Memory.GainExponent = 2 },
		"memory.min_enough":     func(p *leastcost.Params) { p.Memory.MinEnough = 1 },
		"memory.band_up":        func(p *leastcost.Params) { p.Memory.BandUp = -1 },
		"memory.band_down":      func(p *leastcost.Params) { p.Memory.BandDown = 1 },
		"memory.hold":           func(p *leastcost.Params) { p.Memory.Hold = -1 },
		"memory.decays":         func(p *leastcost.Params) { p.Memory.Decays = nil },
	} {
		params := plain(1)
		breaks(&params)

		_, err := leastcost.New(params)
		require.ErrorContains(t, err, field+": ")
	}
}

// However cheap a shortage is, an allocation is enough for MinEnough of the moments, and one that is not is left at once.
func TestMinEnough(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{1: 0.9, 10: 0.1}, map[float64]float64{8: 1})
	params := plain(0.1)
	params.CPU.GainUp = 5

	roughly(t, 1_000, float64(recommender.Decide(rule(t, params), in).Recommended.CPUMillis))

	params.CPU.MinEnough = 0.95
	roughly(t, 10_000, float64(recommender.Decide(rule(t, params), in).Recommended.CPUMillis))

	params.CPU.MinEnough = 0.9
	roughly(t, 1_000, float64(recommender.Decide(rule(t, params), in).Recommended.CPUMillis))
}

// At a price of 20 the gain asked for is twice that at a price near 0, if the exponent says so: half of the cores idle
// are worth a change when 0.4 is asked for, and not when 0.8 is.
func TestTheGainAskedForGrowsWithThePrice(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{4: 1}, map[float64]float64{30: 1})
	params := plain(20)
	params.CPU.GainDown = 0.4

	roughly(t, 4_000, float64(recommender.Decide(rule(t, params), in).Recommended.CPUMillis))

	params.CPU.GainExponent = 1
	require.EqualValues(t, 8_000, recommender.Decide(rule(t, params), in).Recommended.CPUMillis)
}

// Memory that was watched for ten minutes does not fall because CPU was watched for days.
func TestEachResourceHasItsHistory(t *testing.T) {
	t.Parallel()

	in := input(map[float64]float64{4: 1}, map[float64]float64{4: 1})
	in.Usage.MemoryHistogram.First = noon.Add(-10 * time.Minute)

	got := recommender.Decide(rule(t, plain(20)), in)
	require.Equal(t, in.Allocation.MemoryBytes, got.Recommended.MemoryBytes)
	require.Less(t, got.Recommended.CPUMillis, in.Allocation.CPUMillis)
}
