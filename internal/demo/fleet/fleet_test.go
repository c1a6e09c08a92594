package fleet_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const gib = 1 << 30

var now = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// steady is a service that always wants the same.
func steady(key string, demand workload.Demand) fleet.Service {
	return fleet.Service{
		Key:        key,
		Allocation: size.Size{CPUMillis: 2000, MemoryBytes: 8 * gib, Replicas: 2},
		Demand:     func(int, time.Time) workload.Demand { return demand },
	}
}

func TestUseUnderTheSizeOfNow(t *testing.T) {
	t.Parallel()

	f := fleet.New([]fleet.Service{steady("a/b", workload.Demand{CPUCores: 3, ResidentBytes: 6 * gib, QueryBytes: gib})})

	i, found := f.Find("a/b")
	require.True(t, found)

	_, found = f.Find("a/c")
	require.False(t, found)

	require.Equal(t, []string{"b-0", "b-1"}, f.Service(i).Replicas())
	require.InDelta(t, 2.0, f.Use(i, 0, now).CPUCores, 0)

	resized := f.Resize(i, size.Resources{CPUMillis: 4000, MemoryBytes: 4 * gib})
	require.Equal(t, size.Size{CPUMillis: 4000, MemoryBytes: 4 * gib, Replicas: 2}, resized)
	require.Equal(t, resized, f.Allocation(i))

	use := f.Use(i, 0, now)
	require.InDelta(t, 3.0, use.CPUCores, 0)
	require.InDelta(t, 4.0*gib, use.ResidentBytes, 0)
	require.Positive(t, use.Rejections)
}

func TestSurge(t *testing.T) {
	t.Parallel()

	nothing := workload.Demand{CPUCores: 1, ResidentBytes: math.NaN(), QueryBytes: math.NaN()}
	f := fleet.New([]fleet.Service{steady("a/small", workload.Demand{CPUCores: 1, ResidentBytes: gib}), steady("a/unknown", nothing)})

	for i := range f.Len() {
		f.Surge(i, now)
		require.Equal(t, f.Service(i).Demand(0, now).ResidentBytes > 0, f.Use(i, 0, now.Add(-1)).ResidentBytes > 0)

		last := 0.0

		for passed := time.Duration(0); passed < fleet.SurgeFull; passed += time.Second {
			use := f.Use(i, 0, now.Add(passed))
			require.Zero(t, use.Rejections, passed)
			require.Greater(t, use.ResidentBytes, last)
			require.Less(t, use.QueryBytes, use.ResidentBytes)

			last = use.ResidentBytes
		}

		full := f.Use(i, 0, now.Add(fleet.SurgeFull))
		require.Positive(t, full.Rejections)
		require.InDelta(t, 8.0*gib, full.ResidentBytes, 0)

		// With what the rule gives after refused work, half as much again, the surge is over.
		f.Resize(i, size.Resources{CPUMillis: 2000, MemoryBytes: 12 * gib})

		later := f.Use(i, 0, now.Add(time.Hour))
		require.Zero(t, later.Rejections)
		require.Greater(t, later.ResidentBytes, 8.0*gib)
	}
}

func TestClaim(t *testing.T) {
	t.Parallel()

	f := fleet.New([]fleet.Service{steady("a/b", workload.Demand{})})
	require.False(t, f.Claimed(0))
	f.Claim(0)
	require.True(t, f.Claimed(0))
	f.Release(0)
	require.False(t, f.Claimed(0))
}

func TestModel(t *testing.T) {
	t.Parallel()

	services := fleet.Model(workload.Config{Seed: 1, Services: 20, Origin: now})
	require.Len(t, services, 20)

	s := services[0]
	times := slices.Collect(s.Samples(now.Add(-30*time.Hour), now))
	require.Equal(t, now.Add(-30*time.Hour), times[0])
	require.Equal(t, now.Add(-time.Minute), times[len(times)-1])
	require.Equal(t, 5*time.Minute, times[1].Sub(times[0]))

	for i, at := range times[1:] {
		step := at.Sub(times[i])
		require.LessOrEqual(t, step, 5*time.Minute)

		if now.Sub(times[i]) <= 3*time.Hour {
			require.Equal(t, time.Minute, step)
		}
	}
}
