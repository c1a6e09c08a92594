package external_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestFreshAdviceIsFollowedAndRemembered(t *testing.T) {
	t.Parallel()

	for _, c := range []struct{ advice, want size.Size }{
		{of(8_000, 32, 5), of(8_000, 32, 5)},
		{of(1_000, 2, 1), of(1_000, 2, 1)},
		{size.Size{Replicas: 7}, of(4_000, 16, 7)},
		{size.Size{CPUMillis: 500}, of(500, 16, 3)},
		{size.Size{MemoryBytes: 64 * gib}, of(4_000, 64, 3)},
	} {
		in := input()
		in.Advice = advised(c.advice, -2*time.Second) // It came after the evaluation began.

		got := recommender.Decide(rule(t), in)
		require.Equal(t, c.want, got.Recommended)
		require.Equal(t, in.Advice, got.State.Advice)
		require.Equal(t, []recommender.Reason{recommender.ReasonExternal}, got.Reasons)
		require.Equal(t, recommender.StatusOK, got.Status)
		require.Equal(t, []recommender.Parameter{
			{Name: "advice_cpu_millis", Value: float64(c.advice.CPUMillis)},
			{Name: "advice_memory_bytes", Value: float64(c.advice.MemoryBytes)},
			{Name: "advice_replicas", Value: float64(c.advice.Replicas)},
			{Name: "advice_age_seconds", Value: -2},
		}, got.Explanation.Facts)
	}
}

// The last good answer raises and keeps, and does not lower.
func TestTheLastGoodAnswerStandsIn(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		kept size.Size
		age  time.Duration
		want size.Size
	}{
		{of(8_000, 32, 5), 59 * time.Minute, of(8_000, 32, 5)},
		{of(1_000, 2, 1), time.Minute, of(4_000, 16, 3)},
		{of(8_000, 2, 1), time.Minute, of(8_000, 16, 3)},
	} {
		in := input()
		in.State.Advice = advised(c.kept, c.age)

		got := recommender.Decide(rule(t), in)
		require.Equal(t, c.want, got.Recommended)
		require.Contains(t, got.Reasons, recommender.ReasonExternalStale)
		require.NotContains(t, got.Reasons, recommender.ReasonExternal)
		require.Equal(t, in.State.Advice, got.State.Advice, "it does not grow younger")
	}
}

func TestWithoutAdviceTheSizeStays(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*recommender.Input){
		"none":             func(*recommender.Input) {},
		"too old":          func(in *recommender.Input) { in.State.Advice = advised(of(8_000, 32, 5), time.Hour) },
		"from the future":  func(in *recommender.Input) { in.State.Advice = advised(of(8_000, 32, 5), -time.Hour) },
		"kept says none":   func(in *recommender.Input) { in.State.Advice = advised(size.Size{}, time.Minute) },
		"without a time":   func(in *recommender.Input) { in.Advice.Size = of(8_000, 32, 5) },
		"of another time":  func(in *recommender.Input) { in.Advice = advised(of(8_000, 32, 5), 2*time.Minute) },
		"says nothing":     func(in *recommender.Input) { in.Advice = advised(size.Size{}, 0) },
		"no replica at -1": func(in *recommender.Input) { in.Advice = advised(size.Size{Replicas: -1}, 0) },
	} {
		in := input()
		change(&in)

		got := recommender.Decide(rule(t), in)
		require.Equal(t, in.Allocation, got.Recommended, name)
		require.Contains(t, got.Reasons, recommender.ReasonExternalUnavailable, name)
		require.Equal(t, recommender.StatusInsufficientData, got.Status, name)
		require.Equal(t, in.State.Advice, got.State.Advice, name)
	}

	in := input()
	in.State.Advice = advised(of(8_000, 32, 5), time.Second)
	noneKept := rule(t, func(p *external.Params) { p.MaxAge = 0 })
	require.Equal(t, in.Allocation, recommender.Decide(noneKept, in).Recommended)
}

// Amounts that cannot be true say nothing; the others still do.
func TestAbsurdAmountsAreIgnored(t *testing.T) {
	t.Parallel()

	for _, c := range []struct{ advice, want size.Size }{
		{size.Size{CPUMillis: -1, MemoryBytes: 32 * gib, Replicas: 5}, of(4_000, 32, 5)},
		{size.Size{CPUMillis: size.MaxCPUMillis + 1, MemoryBytes: 32 * gib, Replicas: 5}, of(4_000, 32, 5)},
		{size.Size{CPUMillis: 8_000, MemoryBytes: math.MaxInt64, Replicas: 5}, of(8_000, 16, 5)},
		{size.Size{CPUMillis: 8_000, MemoryBytes: math.MinInt64, Replicas: 5}, of(8_000, 16, 5)},
		{size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: math.MaxInt32}, of(8_000, 32, 3)},
		{size.Size{CPUMillis: 8_000, MemoryBytes: 32 * gib, Replicas: -5}, of(8_000, 32, 3)},
	} {
		in := input()
		in.Advice = advised(c.advice, 0)

		got := recommender.Decide(rule(t), in)
		require.Equal(t, c.want, got.Recommended)
		require.Contains(t, got.Reasons, recommender.ReasonImplausibleData)
	}

	// An answer of which nothing is left does not replace the last good one.
	in := input()
	in.Advice = advised(size.Size{Replicas: -1}, 0)
	in.State.Advice = advised(of(8_000, 32, 5), time.Minute)

	got := recommender.Decide(rule(t), in)
	require.Equal(t, of(8_000, 32, 5), got.Recommended)
	require.Subset(t, got.Reasons, []recommender.Reason{recommender.ReasonExternalStale, recommender.ReasonImplausibleData})
	require.Equal(t, in.State.Advice, got.State.Advice)
}

func TestReplicasAreCapped(t *testing.T) {
	t.Parallel()

	in := input()
	in.Advice = advised(of(4_000, 16, 50), 0)

	capped := rule(t, func(p *external.Params) { p.MaxReplicas = 9 })
	got := recommender.Decide(capped, in)
	require.EqualValues(t, 9, got.Recommended.Replicas)
	require.Contains(t, got.Reasons, recommender.ReasonLimitedByMax)
	require.EqualValues(t, 50, got.State.Advice.Size.Replicas, "another limit may come")

	require.EqualValues(t, 50, recommender.Decide(rule(t), in).Recommended.Replicas)
}

func TestReplicasNotKnown(t *testing.T) {
	t.Parallel()

	in := input()
	in.Allocation.Replicas = 0
	in.Advice = advised(of(8_000, 32, 5), 0)

	got := recommender.Decide(rule(t), in)
	require.Equal(t, of(8_000, 32, 0), got.Recommended)
	require.Contains(t, got.Reasons, recommender.ReasonNoReplicas)
}

// Usage that is read must be there before anything is lowered; without any the answer alone decides.
func TestUsageThatIsMissingLowersNothing(t *testing.T) {
	t.Parallel()

	for name, breaks := range map[string]func(*usage.Snapshot){
		"no windows":      func(s *usage.Snapshot) { s.Windows = nil },
		"an empty window": func(s *usage.Snapshot) { s.Windows[1] = usage.Window{Length: 30 * time.Hour} },
		"stale":           func(s *usage.Snapshot) { s.NewestSample = noon.Add(-16 * time.Minute) },
		"from the future": func(s *usage.Snapshot) { s.NewestSample = noon.Add(time.Hour) },
		"no sample":       func(s *usage.Snapshot) { s.NewestSample = time.Time{} },
	} {
		in := input()
		in.Advice = advised(of(1_000, 2, 1), 0)
		breaks(&in.Usage)

		require.Equal(t, in.Allocation, recommender.Decide(rule(t), in).Recommended, name)

		blind := rule(t, func(p *external.Params) { p.Windows = nil })
		require.Equal(t, of(1_000, 2, 1), recommender.Decide(blind, in).Recommended, name)

		in.Advice = advised(of(8_000, 32, 5), 0)
		require.Equal(t, of(8_000, 32, 5), recommender.Decide(rule(t), in).Recommended, name)
	}
}
