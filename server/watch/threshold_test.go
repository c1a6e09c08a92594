package watch

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestHowMuchAChangeIs(t *testing.T) {
	size := func(millis, bytes int64, replicas int32) *tidemarkv1.Size {
		return &tidemarkv1.Size{CpuMillis: millis, MemoryBytes: bytes, Replicas: replicas}
	}
	now := size(1000, 8<<30, 3)

	for name, c := range map[string]struct {
		from, to *tidemarkv1.Size
		percent  float64
		want     bool
	}{
		"nothing changes":              {now, now, 0.001, false},
		"CPU up, just enough":          {now, size(1200, 8<<30, 3), 20, true},
		"CPU up, not enough":           {now, size(1199, 8<<30, 3), 20, false},
		"CPU down, just enough":        {now, size(800, 8<<30, 3), 20, true},
		"CPU down, not enough":         {now, size(801, 8<<30, 3), 20, false},
		"in tenths, just enough":       {size(3000, 0, 0), size(3033, 0, 0), 1.1, true},
		"in tenths, not enough":        {size(3000, 0, 0), size(3032, 0, 0), 1.1, false},
		"memory":                       {now, size(1000, 12<<30, 3), 50, true},
		"memory by a byte":             {now, size(1000, 8<<30+1, 3), 1e-9, true},
		"memory, half of it":           {now, size(1000, 4<<30, 3), 50.1, false},
		"replicas":                     {now, size(1000, 8<<30, 4), 33, true},
		"the largest change counts":    {now, size(1001, 9<<30, 6), 100, true},
		"changes do not add up":        {now, size(1100, 8<<30*11/10, 3), 15, false},
		"more than doubled":            {now, size(5000, 8<<30, 3), 400, true},
		"as large as can be":           {size(1, 1, 1), size(1, math.MaxInt64, 1), 1e18, true},
		"no allocation":                {nil, now, 1e9, true},
		"no recommended size":          {now, nil, 0.1, false},
		"neither":                      {nil, nil, 0.1, false},
		"replicas not known":           {size(1000, 8<<30, 0), now, 1e9, true},
		"replicas not controlled":      {now, size(1000, 8<<30, 0), 0.1, false},
		"memory known, CPU never":      {size(0, 8<<30, 0), size(0, 8<<30, 0), 0.1, false},
		"unknown CPU recommended only": {size(0, 8<<30, 3), size(500, 8<<30, 3), 50, true},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, changesBy(&tidemarkv1.Recommendation{Allocation: c.from, Recommended: c.to}, c.percent))
		})
	}
}

// Who waits for large changes learns that one has been made, or is not wanted any more.
func TestAChangeThatIsMadeLeavesTheFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := func(millis int64) func(*tidemarkv1.Recommendation) {
			return func(r *tidemarkv1.Recommendation) { r.Allocation = &tidemarkv1.Size{CpuMillis: millis} }
		}

		st := store.NewMemory()
		put(t, st, value("prod/a", 2000, from(1000)))
		put(t, st, value("prod/b", 1010, from(1000)))
		put(t, st, value("prod/c", 500, from(1000)))

		r := open(t, newHub(t, st), all, &request{Filter: &tidemarkv1.RecommendationFilter{MinChangePercent: 10}})

		synctest.Wait()
		require.Equal(t, []string{"prod/a=2000", "prod/c=500", "end 2"}, texts(r.taken()))

		put(t, st, value("prod/a", 2000, from(2000)))
		put(t, st, value("prod/b", 1020, from(1000)))
		put(t, st, value("prod/c", 950, from(1000)))
		synctest.Wait()
		require.Equal(t, []string{"-prod/a", "-prod/c"}, texts(r.taken()), "and nothing of what was never shown")

		put(t, st, value("prod/b", 1100, from(1000)))
		synctest.Wait()
		require.Equal(t, []string{"prod/b=1100"}, texts(r.taken()))
		r.stop()
	})
}

// Who leaves the snapshot out knows what there is from elsewhere, and must not be left with what no longer matches.
func TestChangesOnlyOfAFilterByValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/a", 1))
		put(t, st, value("prod/b", 2, observeOnly))

		r := open(t, newHub(t, st), all, &request{ChangesOnly: true, Filter: &tidemarkv1.RecommendationFilter{
			Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE},
		}})

		synctest.Wait()
		require.Equal(t, []string{"end 0"}, texts(r.taken()))

		put(t, st, value("prod/a", 1, observeOnly))
		put(t, st, value("prod/b", 3, observeOnly))
		synctest.Wait()
		require.Equal(t, []string{"-prod/a"}, texts(r.taken()))
		r.stop()
	})
}
