package backtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDescent gives a service 100 and lets it use 80 for four hours, and then something else for so many hours. Samples
// come every five minutes. Three hours after the use fell the peak of the past three hours has fallen.
func TestDescent(t *testing.T) {
	t.Parallel()

	const hour = 3600

	for name, c := range map[string]struct {
		low        float64
		hours      int64
		shrinks    int64 // seconds after the fall; 0 for never
		latencies  []int64
		unfollowed int64
	}{
		"followed":                      {low: 40, hours: 40, shrinks: 10 * hour, latencies: []int64{7 * hour}},
		"not followed":                  {low: 40, hours: 40, unfollowed: 1},
		"not for long":                  {low: 40, hours: 20, shrinks: 10 * hour},
		"not by much":                   {low: 60, hours: 40, shrinks: 10 * hour},
		"followed after more than days": {low: 10, hours: 90, shrinks: 80 * hour, latencies: []int64{77 * hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var d descent

			allocated, at := 100.0, int64(300)

			for ; at <= 4*hour; at += 300 {
				d.sample(at, 80, allocated, true)
			}

			for fell := at; at < fell+c.hours*hour; at += 300 {
				if c.shrinks != 0 && at-(fell-300) >= c.shrinks {
					allocated = 50
				}

				d.sample(at, c.low, allocated, true)
			}

			d.end(at)

			require.Equal(t, c.latencies, d.latencies)
			require.Equal(t, c.unfollowed, d.unfollowed)
		})
	}
}
