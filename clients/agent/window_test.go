package agent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNoMinuteHasMoreStartsThanTheLimit(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		w := newWindow(limit)
		now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

		var starts []time.Time

		within := func() (count int) {
			for _, start := range starts {
				if now.Sub(start) < time.Minute {
					count++
				}
			}

			return count
		}

		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 40), 0, 60).Draw(t, "seconds") {
			now = now.Add(time.Duration(step) * time.Second)
			before := within()

			require.Equal(t, limit-before, w.free(now))

			if wait := w.until(now); before < limit {
				require.Zero(t, wait)
			} else {
				require.Equal(t, starts[len(starts)-limit].Add(time.Minute).Sub(now), wait)
			}

			taken := w.take(now)
			require.Equal(t, before < limit, taken)

			if taken {
				starts = append(starts, now)
			}
		}
	})
}

func TestAWindowWithoutALimit(t *testing.T) {
	t.Parallel()

	w := newWindow(-1)
	for range 1000 {
		require.True(t, w.take(time.Time{}))
	}

	require.Zero(t, w.until(time.Time{}))
}
