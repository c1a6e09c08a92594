package twowindow_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// anyPolicy draws a legal policy of each shape.
var anyPolicy = rapid.Custom(func(t *rapid.T) policy.Policy {
	p := rapid.SampledFrom([]policy.Policy{
		{},
		policy.Default(),
		{MemoryPerCoreBytes: 4 * gib},
		{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000},
		{Catalogue: ladder(2, 4, 8, 16, 32, 64, 96)},
		{Catalogue: []size.Resources{of(1_000, 4).Resources(), of(2_000, 4).Resources(), of(2_000, 16).Resources(), of(8_000, 32).Resources(), of(64_000, 32).Resources()}},
		{StepCPUMillis: 300, StepMemoryBytes: gib / 2},
	}).Draw(t, "shape")

	if rapid.Bool().Draw(t, "bounded") {
		p.Min, p.Max = of(2_000, 8).Resources(), of(16_000, 64).Resources()
	}

	p.Name = "p"
	require.NoError(t, p.Validate())

	return p
})

// independentPolicy draws a legal policy that sizes the resources apart.
var independentPolicy = anyPolicy.Filter(func(p policy.Policy) bool { return !p.Coupled() })

func drawSize(t *rapid.T, label string) size.Size {
	return size.Size{
		CPUMillis:   rapid.Int64Range(1, 120_000).Draw(t, label+" CPU"),
		MemoryBytes: rapid.Int64Range(1, 300).Draw(t, label+" memory") * gib / 2,
		Replicas:    1,
	}
}

// drawWindow draws a window of good data: fully covered, with all that is needed.
func drawWindow(t *rapid.T, span time.Duration) usage.Window {
	peak := rapid.Int64Range(1, 200*gib).Draw(t, "resident peak")

	w := usage.Window{
		Length: span, Coverage: 1,
		CPUPeakMillis:             rapid.Int64Range(1, 120_000).Draw(t, "CPU peak"),
		ResidentMemoryPeakBytes:   peak,
		ResidentMemoryMedianBytes: rapid.Int64Range(1, peak).Draw(t, "resident median"),
		QueryMemoryPeakBytes:      rapid.Int64Range(0, peak).Draw(t, "query peak"),
	}

	if rapid.Bool().Draw(t, "out of memory") {
		w.MemoryRejections = rapid.Int64Range(0, 1).Draw(t, "rejections")
		w.OOMKills = rapid.Int64Range(0, 1).Draw(t, "kills")
		w.OOMKillResidentBytes = rapid.Int64Range(0, peak).Draw(t, "resident at kill") * w.OOMKills
	}

	return w
}

func drawState(t *rapid.T) recommender.State {
	if rapid.Bool().Draw(t, "first") {
		return recommender.State{}
	}

	state := recommender.State{Trend: recommender.Trend{Time: noon.Add(-slot), Small: drawSize(t, "small").Resources()}}
	if rapid.Bool().Draw(t, "second") {
		state.Trend.PrevTime, state.Trend.PrevSmall = noon.Add(-2*slot), drawSize(t, "previous small").Resources()
	}

	return state
}

// drawInput draws an evaluation on good data. The large window may contradict the small one.
func drawInput(t *rapid.T, p policy.Policy) recommender.Input {
	in := input(drawSize(t, "allocation"), p, drawWindow(t, smallSpan), drawWindow(t, largeSpan))
	in.State = drawState(t)
	in.Periodic = rapid.Bool().Draw(t, "periodic")

	return in
}

// spoil makes some of the data missing, late, negative or absurd, and reports which resource is certain to be spoilt.
func spoil(t *rapid.T, in *recommender.Input) (bool, bool) {
	bad := rapid.SampledFrom([]int64{0, -1, math.MinInt64, math.MaxInt64, size.MaxMemoryBytes + 1})
	window := &in.Usage.Windows[rapid.IntRange(0, 1).Draw(t, "window")]

	switch rapid.IntRange(0, 6).Draw(t, "fault") {
	case 0:
		in.Usage.NewestSample = rapid.SampledFrom([]time.Time{{}, noon.Add(-time.Hour), noon.Add(time.Hour)}).Draw(t, "newest")
	case 1:
		window.Coverage = rapid.SampledFrom([]float64{0, 0.5, -1, 7, math.NaN(), math.Inf(1)}).Draw(t, "coverage")
	case 2:
		*window = usage.Window{Length: window.Length, Coverage: 1}
	case 3:
		in.Usage.Windows = slices.DeleteFunc(in.Usage.Windows, func(w usage.Window) bool { return w.Length == window.Length })
	case 4:
		in.Usage.Windows = nil
	case 5:
		window.CPUPeakMillis = bad.Draw(t, "bad CPU")

		return true, false
	default:
		window.ResidentMemoryPeakBytes = bad.Draw(t, "bad memory")

		return false, true
	}

	return true, true
}

func TestDeterministic(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		first := recommender.Decide(r, in)
		require.Equal(t, first, recommender.Decide(r, in))
	})
}

func TestBoundsAlwaysHold(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		if rapid.Bool().Draw(t, "spoilt") {
			spoil(t, &in)
		}

		got := recommender.Decide(r, in).Recommended
		require.True(t, got.Resources().Covers(in.Policy.Min))

		for _, resource := range size.Both() {
			// What may not be lowered stays above the maximum if it is there already.
			if bound := in.Policy.Max.Get(resource); bound > 0 {
				require.LessOrEqual(t, got.Resources().Get(resource), max(bound, in.Allocation.Resources().Get(resource)))
			}
		}
	})
}

func TestBadDataNeverLowers(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		keepCPU, keepMemory := spoil(t, &in)

		got := recommender.Decide(r, in)

		if keepCPU {
			require.GreaterOrEqual(t, got.Recommended.CPUMillis, in.Allocation.CPUMillis)
		}

		if keepMemory {
			require.GreaterOrEqual(t, got.Recommended.MemoryBytes, in.Allocation.MemoryBytes)
		}
	})
}

// TestRecentPeakFits: as far as the policy has sizes for it, the answer covers what was used within the small window. A
// CPU peak may use the band up to its upper edge; memory gets its whole need.
func TestRecentPeakFits(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		got := recommender.Decide(r, in)
		small := got.Explanation.Windows[0]

		if got.Status != recommender.StatusLimited {
			largest := in.Policy.Fitted(size.Resources{CPUMillis: size.MaxCPUMillis, MemoryBytes: size.MaxMemoryBytes})
			peak := int64(math.Ceil(float64(small.Usage.CPUPeakMillis) / 0.75))

			require.GreaterOrEqual(t, got.Recommended.CPUMillis, min(peak, largest.CPUMillis))
			require.GreaterOrEqual(t, got.Recommended.MemoryBytes, min(small.Memory.NeedBytes, largest.MemoryBytes))
		}
	})
}

// TestWindowNeedIsMonotone: what one window asks for grows with its CPU peak, and with each memory input for as long as
// the variation class stays the same. Where the class turns from stable to spiky the need falls, by 1.1 / 1.25 at most.
func TestWindowNeedIsMonotone(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		before := r.Recommend(in).Explanation.Windows[0]

		w := &in.Usage.Windows[0]
		w.CPUPeakMillis += rapid.Int64Range(0, 50_000).Draw(t, "more CPU")
		w.QueryMemoryPeakBytes += rapid.Int64Range(0, 50*gib).Draw(t, "more query memory")
		w.ResidentMemoryPeakBytes += rapid.Int64Range(0, 50*gib).Draw(t, "more resident memory")
		w.MemoryRejections += rapid.Int64Range(0, 1).Draw(t, "more rejections")

		after := r.Recommend(in).Explanation.Windows[0]
		require.GreaterOrEqual(t, after.CPU.TargetMillis, before.CPU.TargetMillis)
		require.GreaterOrEqual(t, after.Need.CPUMillis, before.Need.CPUMillis)

		if after.Memory.Class == before.Memory.Class {
			require.GreaterOrEqual(t, after.Need.MemoryBytes, before.Need.MemoryBytes)
		}

		require.GreaterOrEqual(t, float64(after.Need.MemoryBytes)+1, float64(before.Need.MemoryBytes)*1.1/1.25)
	})
}

// TestAnswerIsMonotone: for resources that are sized apart, the answer grows with the peak of the large window as long
// as the small one is unchanged, and with the peak of the small window unless the large one says up. In that case a
// small window that rises from "down, but growing" into the band turns the step up into no change: that is the table.
func TestAnswerIsMonotone(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, independentPolicy.Draw(t, "policy"))
		before := recommender.Decide(r, in)

		window := rapid.IntRange(0, 1).Draw(t, "window")
		in.Usage.Windows[window].CPUPeakMillis += rapid.Int64Range(0, 50_000).Draw(t, "more")

		after := recommender.Decide(r, in)

		if window == 0 && before.Explanation.Windows[1].CPUVerdict == recommender.DirectionUp {
			return
		}

		require.GreaterOrEqual(t, after.Recommended.CPUMillis, before.Recommended.CPUMillis)
	})
}

// TestSettles: on constant load a service moves at most twice and then never again.
func TestSettles(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		in.State, in.Periodic = recommender.State{}, true

		moves := 0

		for range 10 {
			got := recommender.Decide(r, in)
			if got.Direction != recommender.DirectionNone {
				moves++
			}

			in.Allocation, in.State, in.Now = got.Recommended, got.State, in.Now.Add(slot)
			in.Usage.NewestSample, in.Usage.ReadTime = in.Now, in.Now
		}

		require.LessOrEqual(t, moves, 2)
		require.Equal(t, recommender.DirectionNone, recommender.Decide(r, in).Direction)
	})
}

// TestAgainAtOnce: a second evaluation moments later gives the same answer and leaves the same state.
func TestAgainAtOnce(t *testing.T) {
	r := rule(t)

	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, anyPolicy.Draw(t, "policy"))
		first := recommender.Decide(r, in)

		// A periodic evaluation after one that was not is the first of its slot and may advance the state.
		periodic := rapid.Bool().Draw(t, "periodic again") && in.Periodic
		in.State, in.Now, in.Periodic = first.State, in.Now.Add(time.Second), periodic
		second := recommender.Decide(r, in)

		require.Equal(t, first.Recommended, second.Recommended)
		require.Equal(t, first.State, second.State)
	})
}
