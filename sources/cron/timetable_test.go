package cron

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBetweenRunsEverySlotOnce looks at the clock at random moments and compares with the list of all slots.
func TestBetweenRunsEverySlotOnce(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		const services = 5

		period := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "period"))
		start := time.Unix(0, rapid.Int64Range(-1e18, 2e18).Draw(t, "start"))
		table := newTimetable(period, []string{"a/1", "a/2", "a/3", "a/4", "a/5"})

		last, ran, skipped := start, int64(0), int64(0)
		latest := make(map[string]time.Time)

		for range rapid.IntRange(1, 20).Draw(t, "ticks") {
			step := rapid.OneOf(rapid.Int64Range(0, int64(period)/4), rapid.Int64Range(0, 5*int64(period)))
			now := last.Add(time.Duration(step.Draw(t, "step")))
			runs, missed := table.between(last, now)
			skipped += missed

			for i, r := range runs {
				require.True(t, r.slot.After(last) && !r.slot.After(now), "due in the span")
				require.Less(t, now.Sub(r.slot), period, "the latest one")
				require.True(t, r.slot.After(latest[r.service]), "not run before")
				require.True(t, i == 0 || !r.slot.Before(runs[i-1].slot), "in order")
				latest[r.service] = r.slot
				ran++
			}

			last = now
		}

		// Each service has a slot per period, give or take the one at either end.
		periods := int64(last.Sub(start) / period)
		require.GreaterOrEqual(t, ran+skipped, periods*services)
		require.LessOrEqual(t, ran+skipped, (periods+1)*services)
	})
}

func TestAnotherServiceMovesNobody(t *testing.T) {
	t.Parallel()

	start := time.Unix(1_800_000_000, 0)
	end := start.Add(time.Hour)
	before, _ := newTimetable(time.Hour, []string{"a/1", "a/2"}).between(start, end)
	after, _ := newTimetable(time.Hour, []string{"a/0", "a/1", "a/2"}).between(start, end)

	require.Len(t, after, 3)
	require.Subset(t, after, before)
}
