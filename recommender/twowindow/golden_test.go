package twowindow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestCPUBand(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct{ allocation, peak, want int64 }{
		"lower edge":         {16_000, 6_000, 16_000},
		"upper edge":         {16_000, 12_000, 16_000},
		"just above":         {16_000, 12_010, 22_647},
		"just below":         {16_000, 5_990, 11_295},
		"docs":               {4_000, 3_800, 7_166},
		"grow 100 at 80":     {100_000, 80_000, 150_850},
		"then settled":       {150_850, 80_000, 150_850},
		"grow again at 120":  {150_850, 120_000, 226_275},
		"return at 80":       {226_275, 80_000, 150_850},
		"50 at 40":           {50_000, 40_000, 75_425},
		"75 at 40, no hunt":  {75_425, 40_000, 75_425},
		"throttled above it": {4_000, 4_400, 8_297},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			in := input(of(c.allocation, keepMemory), policy.Policy{},
				steadyMemory(smallSpan, c.peak), steadyMemory(largeSpan, c.peak))
			got := recommender.Decide(rule(t), in)
			require.Equal(t, of(c.want, keepMemory), got.Recommended)
			require.Equal(t, recommender.Compare(c.allocation, c.want), got.Direction)
			require.Equal(t, recommender.StatusOK, got.Status)
		})
	}
}

// TestDocsExample is worked example A: 4 cores at 95 % become 8, and fall once the peak is below 1.5 of 4 cores.
func TestDocsExample(t *testing.T) {
	t.Parallel()

	p := policy.Policy{Catalogue: ladder(2, 4, 8, 16)}
	window := usage.Window{Coverage: 1, CPUPeakMillis: 3_800, ResidentMemoryPeakBytes: 4 * gib, ResidentMemoryMedianBytes: 4 * gib}
	small, large := window, window
	small.Length, large.Length = smallSpan, largeSpan

	require.Equal(t, of(8_000, 32), recommender.Decide(rule(t), input(of(4_000, 16), p, small, large)).Recommended)

	for peak, want := range map[int64]size.Size{1_500: of(4_000, 16), 1_060: of(2_000, 8)} {
		small.CPUPeakMillis, large.CPUPeakMillis = peak, peak
		require.Equal(t, want, recommender.Decide(rule(t), input(of(4_000, 16), p, small, large)).Recommended)
	}
}

// TestYesterdaysPeak is worked example D: 48 cores yesterday and 12 now.
func TestYesterdaysPeak(t *testing.T) {
	t.Parallel()

	in := input(of(30_000, keepMemory), policy.Policy{}, steadyMemory(smallSpan, 12_000), steadyMemory(largeSpan, 48_000))

	got := recommender.Decide(rule(t), in)
	require.Equal(t, int64(22_628), got.Explanation.Windows[0].CPU.TargetMillis)
	require.Equal(t, int64(90_510), got.Explanation.Windows[1].CPU.TargetMillis)
	require.Equal(t, in.Allocation, got.Recommended, "40 % is within the band, so recent load is content")
	require.Contains(t, got.Reasons, recommender.ReasonUpNotConfirmed)

	in.Usage.Windows[0].CPUPeakMillis = 24_000
	require.Equal(t, of(90_510, keepMemory), recommender.Decide(rule(t), in).Recommended, "one step to yesterday's peak")
}

// TestReplicasAreKept is worked example E: 6 replicas of 16 GiB stay 6.
func TestReplicasAreKept(t *testing.T) {
	t.Parallel()

	allocation := of(4_000, 16)
	allocation.Replicas = 6
	got := recommender.Decide(rule(t), input(allocation, policy.Policy{MemoryPerCoreBytes: 4 * gib},
		steadyMemory(smallSpan, 3_800), steadyMemory(largeSpan, 3_800)))

	require.Equal(t, recommender.DirectionUp, got.Direction)
	require.Equal(t, int32(6), got.Recommended.Replicas)
}

func TestMemoryFormula(t *testing.T) {
	t.Parallel()

	type window = usage.Window

	base := window{CPUPeakMillis: 2000, QueryMemoryPeakBytes: 10 * gib, ResidentMemoryPeakBytes: 12 * gib, ResidentMemoryMedianBytes: 10 * gib}
	spiky := base
	spiky.ResidentMemoryMedianBytes = 6 * gib
	rejected := spiky
	rejected.MemoryRejections = 1
	killed := rejected
	killed.OOMKills, killed.OOMKillResidentBytes = 1, 14*gib
	killedUnseen := spiky
	killedUnseen.OOMKills = 1
	edge := base
	edge.ResidentMemoryMedianBytes = 8 * gib
	noMedian := base
	noMedian.ResidentMemoryMedianBytes = 0
	query := base
	query.QueryMemoryPeakBytes = 16 * gib

	for name, c := range map[string]struct {
		window window
		want   float64 // GiB.
		class  recommender.MemoryClass
		term   recommender.MemoryTerm
		reason recommender.Reason
	}{
		"stable":                   {base, 15, recommender.MemoryStable, recommender.MemoryTermResident, recommender.ReasonMemoryPeak},
		"spiky":                    {spiky, 13.2, recommender.MemorySpiky, recommender.MemoryTermResident, recommender.ReasonMemoryPeak},
		"edge is stable":           {edge, 15, recommender.MemoryStable, recommender.MemoryTermResident, recommender.ReasonMemoryPeak},
		"no median is stable":      {noMedian, 15, recommender.MemoryStable, recommender.MemoryTermResident, recommender.ReasonMemoryPeak},
		"query decides":            {query, 20, recommender.MemoryStable, recommender.MemoryTermQuery, recommender.ReasonMemoryPeak},
		"requests refused":         {rejected, 18, recommender.MemorySpiky, recommender.MemoryTermRejection, recommender.ReasonMemoryRejected},
		"process killed":           {killed, 21, recommender.MemorySpiky, recommender.MemoryTermOOMKill, recommender.ReasonOOMKilled},
		"killed, size not sampled": {killedUnseen, 18, recommender.MemorySpiky, recommender.MemoryTermOOMKill, recommender.ReasonOOMKilled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			small, large := c.window, c.window
			small.Length, small.Coverage = smallSpan, 1
			large.Length, large.Coverage = largeSpan, 1

			got := recommender.Decide(rule(t), input(of(4_000, 1), policy.Policy{}, small, large))
			require.InDelta(t, c.want*float64(gib), float64(got.Recommended.MemoryBytes), 1)
			require.Contains(t, got.Reasons, c.reason)

			memory := got.Explanation.Windows[0].Memory
			require.Equal(t, c.class, memory.Class)
			require.Equal(t, c.term, memory.Term)
			require.Equal(t, got.Recommended.MemoryBytes, memory.NeedBytes)
		})
	}
}

// TestHeadroomIsExact: 10 * 1.1 is a little above 11 in binary, and must not become 12.
func TestHeadroomIsExact(t *testing.T) {
	t.Parallel()

	for _, bytes := range []int64{10, 10_000_000_000, 700_000_000_000} {
		window := usage.Window{Coverage: 1, CPUPeakMillis: 2_000, ResidentMemoryPeakBytes: bytes, ResidentMemoryMedianBytes: 1}
		small, large := window, window
		small.Length, large.Length = smallSpan, largeSpan

		in := input(size.Size{CPUMillis: 4_000, MemoryBytes: 1}, policy.Policy{}, small, large)
		require.Equal(t, bytes/10*11, recommender.Decide(rule(t), in).Recommended.MemoryBytes)
	}
}

func TestCoupling(t *testing.T) {
	t.Parallel()

	// CPU needs 3 cores and memory 20 GiB.
	window := usage.Window{Coverage: 1, CPUPeakMillis: 1_590, ResidentMemoryPeakBytes: 16 * gib, ResidentMemoryMedianBytes: 16 * gib}
	small, large := window, window
	small.Length, large.Length = smallSpan, largeSpan

	p := policy.Policy{MemoryPerCoreBytes: 4 * gib, StepCPUMillis: 1000}
	got := recommender.Decide(rule(t), input(of(1_000, 4), p, small, large))

	require.Equal(t, of(5_000, 20), got.Recommended)
	require.InDelta(t, 3_000, got.Uncapped.CPUMillis, 2)
	require.Contains(t, got.Reasons, recommender.ReasonRatio)
}

func TestMergeTable(t *testing.T) {
	t.Parallel()

	const (
		up, down, none = recommender.DirectionUp, recommender.DirectionDown, recommender.DirectionNone
	)

	for _, c := range []struct {
		large, small recommender.Direction
		want         string
	}{
		{up, up, "L"},
		{up, none, "S"},
		{up, down, "hunt"},
		{none, up, "impossible"},
		{none, none, "S"},
		{none, down, "hunt"},
		{down, up, "impossible"},
		{down, none, "L"},
		{down, down, "S"},
	} {
		require.Equal(t, c.want, twowindow.Cell(c.large, c.small), "%s, %s", c.large, c.small)
	}
}
