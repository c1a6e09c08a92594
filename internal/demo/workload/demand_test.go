package workload_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// any moment from 1970 to 2100; the model has no range of its own.
var anyMoment = rapid.Custom(func(t *rapid.T) time.Time {
	return time.Unix(rapid.Int64Range(0, 4_102_444_800).Draw(t, "moment"), 0)
})

func TestDemandIsSane(t *testing.T) {
	services := fleet(200)

	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(services).Draw(t, "service")
		replica := rapid.IntRange(0, 2).Draw(t, "replica")
		at := anyMoment.Draw(t, "at")

		d := s.Demand(replica, at)
		require.Equal(t, d, s.Demand(replica, at.UTC()))

		for _, amount := range []float64{d.CPUCores, d.ResidentBytes, d.QueryBytes} {
			require.False(t, math.IsNaN(amount) || math.IsInf(amount, 0))
			require.GreaterOrEqual(t, amount, 0.0)
		}

		require.Positive(t, d.ResidentBytes)
		require.LessOrEqual(t, d.QueryBytes, d.ResidentBytes/2)
		require.Less(t, d.ResidentBytes, float64(size.MaxMemoryBytes))
	})
}

func TestDemandUnderAllocation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		demand := workload.Demand{
			CPUCores:      rapid.Float64Range(0, 100).Draw(t, "cores"),
			ResidentBytes: rapid.Float64Range(0, 1e12).Draw(t, "resident"),
		}
		demand.QueryBytes = demand.ResidentBytes * rapid.Float64Range(0, 0.5).Draw(t, "query")

		require.Equal(t, workload.Use{Demand: demand}, demand.Under(size.Size{}), "an unknown size limits nothing")

		allocation := size.Size{
			CPUMillis:   rapid.Int64Range(1, 100_000).Draw(t, "millis"),
			MemoryBytes: rapid.Int64Range(1, 1e12).Draw(t, "bytes"),
		}
		use := demand.Under(allocation)

		require.LessOrEqual(t, use.CPUCores, min(demand.CPUCores, float64(allocation.CPUMillis)/1000))
		require.LessOrEqual(t, use.ResidentBytes, min(demand.ResidentBytes, float64(allocation.MemoryBytes)))
		require.LessOrEqual(t, use.QueryBytes, use.ResidentBytes)
		require.Equal(t, demand.ResidentBytes > float64(allocation.MemoryBytes), use.Rejections > 0)
	})
}

// TestClassBounds holds each class to the table of the package comment, as shares of the peak in the 30 hours before the origin.
func TestClassBounds(t *testing.T) {
	t.Parallel()

	low := map[workload.Class]struct{ cpu, memory float64 }{
		workload.Flat:     {0.84, 0.97},
		workload.Daily:    {0.23, 0.68},
		workload.Bursts:   {0.18, 0.48},
		workload.Growth:   {0.39, 0.70},
		workload.Restarts: {0.75, 0.14},
	}

	for _, s := range fleet(100) {
		peak := peakOf(&s, 0)
		want := low[s.Class]

		for at := range minutes(-30 * time.Hour) {
			d := s.Demand(0, at)
			require.GreaterOrEqual(t, d.CPUCores, want.cpu*peak.CPUCores, "%s %s", s.Key, at)
			require.GreaterOrEqual(t, d.ResidentBytes, want.memory*peak.ResidentBytes, "%s %s", s.Key, at)
		}
	}
}

func TestReplicasDifferLittle(t *testing.T) {
	t.Parallel()

	for _, s := range fleet(100) {
		if s.Class != workload.Flat {
			continue
		}

		busiest, other := s.Demand(0, origin), s.Demand(1, origin)
		require.NotEqual(t, busiest, other)
		require.InEpsilon(t, busiest.ResidentBytes, other.ResidentBytes, 0.15)
	}
}

func TestGrowthGrows(t *testing.T) {
	t.Parallel()

	s := firstOf(t, workload.Growth)
	before, now := s.Demand(0, origin.Add(-24*time.Hour)), s.Demand(0, origin)

	require.Greater(t, now.CPUCores, 1.5*before.CPUCores)
	require.Greater(t, now.ResidentBytes, before.ResidentBytes)

	far := s.Demand(0, origin.AddDate(10, 0, 0))
	require.Less(t, far.CPUCores, 2*now.CPUCores, "growth ends")
}

func TestRestartsDropMemory(t *testing.T) {
	t.Parallel()

	s := firstOf(t, workload.Restarts)

	drops, before := 0, s.Demand(0, origin.Add(-30*time.Hour)).ResidentBytes

	for at := range minutes(-30 * time.Hour) {
		now := s.Demand(0, at)
		if now.ResidentBytes < before/2 {
			drops++

			// Forty minutes later it is back.
			require.InEpsilon(t, before, s.Demand(0, at.Add(41*time.Minute)).ResidentBytes, 0.05)
		}

		before = now.ResidentBytes
	}

	require.GreaterOrEqual(t, drops, 3)
	require.LessOrEqual(t, drops, 8)
}

func TestBurstsOutlastTheMedian(t *testing.T) {
	t.Parallel()

	s := firstOf(t, workload.Bursts)
	busy, longest, run := 0, 0, 0

	for at := range minutes(-100 * time.Hour) {
		if s.Demand(0, at).CPUCores > 0.5*peakOf(&s, 0).CPUCores {
			busy++
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}

	require.Greater(t, busy, 15*5)
	require.Less(t, busy, 100*60/3)
	require.GreaterOrEqual(t, longest, 14)
	require.LessOrEqual(t, longest, 80)
}

func firstOf(t *testing.T, class workload.Class) workload.Service {
	t.Helper()

	for _, s := range fleet(20) {
		if s.Class == class {
			return s
		}
	}

	require.Fail(t, "no service of the class", class)

	return workload.Service{}
}
