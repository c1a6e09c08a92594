package workload_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

var origin = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

func fleet(services int) []workload.Service {
	return workload.Fleet(workload.Config{Seed: 1, Services: services, Origin: origin})
}

func TestSharesAreAsDocumented(t *testing.T) {
	t.Parallel()

	const services = 1000

	counts := map[string]int{}

	for _, s := range fleet(services) {
		counts[string(s.Class)]++
		counts[string(s.Fit)]++
	}

	total := 0

	for _, share := range append(workload.ClassShares(), workload.FitShares()...) {
		require.Equal(t, share.Percent*services/100, counts[share.Name], share.Name)
		require.NotEmpty(t, share.Description)

		total += share.Percent
	}

	require.Equal(t, 200, total)
}

func TestFleetIsRepeatable(t *testing.T) {
	t.Parallel()

	first, again := fleet(100), fleet(100)
	require.Equal(t, first, again)

	// A larger fleet begins with the smaller one.
	require.Equal(t, fleet(100), fleet(200)[:100])

	other := workload.Fleet(workload.Config{Seed: 2, Services: 100, Origin: origin})
	require.NotEqual(t, fleet(100)[3].Demand(0, origin), other[3].Demand(0, origin))
}

func TestKeysAndSizesAreValid(t *testing.T) {
	t.Parallel()

	pattern := regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	bounds := policy.Default()
	seen := map[string]bool{}

	for _, s := range fleet(20_000) {
		require.Regexp(t, pattern, s.Key)
		require.False(t, seen[s.Key], s.Key)
		seen[s.Key] = true

		require.True(t, s.Allocation.Resources().Covers(bounds.Min), "%s: %s", s.Key, s.Allocation)
		require.True(t, bounds.Max.Covers(s.Allocation.Resources()), "%s: %s", s.Key, s.Allocation)
		require.Zero(t, s.Allocation.CPUMillis%bounds.StepCPUMillis)
		require.Zero(t, s.Allocation.MemoryBytes%bounds.StepMemoryBytes)
		require.GreaterOrEqual(t, s.Allocation.Replicas, int32(1))
		require.LessOrEqual(t, s.Allocation.Replicas, int32(3))
	}
}

func TestSmallFleetHasSomeOfEach(t *testing.T) {
	t.Parallel()

	seen := map[string]bool{}

	for _, s := range fleet(10) {
		seen[string(s.Class)], seen[string(s.Fit)] = true, true
	}

	require.Len(t, seen, 8)
}
