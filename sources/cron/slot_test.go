package cron

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSlotLiesInThePeriod(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "period"))
		slot := Slot(rapid.String().Draw(t, "service"), period)
		require.GreaterOrEqual(t, slot, time.Duration(0))
		require.Less(t, slot, period)
	})

	require.Zero(t, Slot("a/x", 0))
}

// TestSlotNeverChanges pins slots: a release that moved them would sweep some services twice and others late.
func TestSlotNeverChanges(t *testing.T) {
	t.Parallel()

	for service, want := range map[string]time.Duration{
		"prod/orders-db":  324251 * time.Millisecond,
		"prod/users-db":   859087 * time.Millisecond,
		"prod/orders-db2": 2602376 * time.Millisecond,
	} {
		require.Equal(t, want, Slot(service, time.Hour).Round(time.Millisecond), service)
	}
}

// TestNoHerd states what holds for slots that depend on nothing but the service. They fall as random numbers do, so n
// services per span vary by about the square root of n; the peak over all spans of a period is some four of those above
// the mean. So 2 times the mean per second holds where that mean is large (100,000 services in 10 minutes: 167 a second),
// and for the 10,000 hourly services of the bar, 2.8 a second, it holds per 10 seconds; the fullest single second has
// about 11 services, which is no herd either.
func TestNoHerd(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		services     int
		period, span time.Duration
		factor       float64
	}{
		{services: 100_000, period: 10 * time.Minute, span: time.Second, factor: 1.5},
		{services: 10_000, period: time.Hour, span: time.Minute, factor: 1.35},
		{services: 10_000, period: time.Hour, span: 10 * time.Second, factor: 2},
		{services: 10_000, period: time.Hour, span: time.Second, factor: 5},
	} {
		for _, name := range []string{"prod/db-%d", "prod/%08d", "tenant-%d/db", "t/%d-primary-a-very-long-suffix"} {
			counts := make([]int, c.period/c.span)
			for i := range c.services {
				counts[Slot(fmt.Sprintf(name, i), c.period)/c.span]++
			}

			mean := float64(c.services) / float64(len(counts))
			highest, chi2 := 0, 0.0

			for _, count := range counts {
				highest = max(highest, count)
				chi2 += (float64(count) - mean) * (float64(count) - mean) / mean
			}

			require.LessOrEqual(t, float64(highest), c.factor*mean, "%s: %d in %s", name, c.services, c.span)

			// Neither lumpy nor suspiciously even: chi-square within five standard deviations of its mean.
			freedom := float64(len(counts) - 1)
			require.InDelta(t, freedom, chi2, 5*math.Sqrt(2*freedom), name)
		}
	}
}
