package backtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/size"
)

func cores(n int64) size.Size { return size.Size{CPUMillis: n * 1000, MemoryBytes: 1, Replicas: 1} }

// wish is a size that is asked for at a time.
type wish struct{ at, cores int64 }

func TestFlight(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		wishes []wish
		want   []wish // what takes effect, and when
	}{
		"the delay passes":                       {[]wish{{0, 2}}, []wish{{300, 2}}},
		"what is in effect is no change":         {[]wish{{0, 1}, {600, 1}}, nil},
		"one after the other":                    {[]wish{{0, 2}, {600, 3}}, []wish{{300, 2}, {900, 3}}},
		"a wish waits for the one under way":     {[]wish{{0, 2}, {100, 3}}, []wish{{300, 2}, {600, 3}}},
		"of those that wait the latest wins":     {[]wish{{0, 2}, {100, 3}, {200, 4}}, []wish{{300, 2}, {600, 4}}},
		"again and again the same is one change": {[]wish{{0, 2}, {100, 2}, {200, 2}}, []wish{{300, 2}}},
		"to stay takes back what waits":          {[]wish{{0, 2}, {100, 3}, {200, 1}}, []wish{{300, 2}}},
		"so does what is under way already":      {[]wish{{0, 2}, {100, 3}, {200, 2}}, []wish{{300, 2}}},
		"ever new wishes do not starve":          {[]wish{{0, 2}, {200, 3}, {400, 4}, {500, 5}}, []wish{{300, 2}, {600, 3}, {900, 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f, allocation := flight{delay: 300}, cores(1)

			var got []wish

			for now := range int64(2000) {
				for {
					landed, at, ok := f.land(now)
					if !ok {
						break
					}

					require.Equal(t, now, at)

					allocation = landed
					got = append(got, wish{at, landed.CPUMillis / 1000})
				}

				for _, w := range c.wishes {
					if w.at == now {
						f.order(now, allocation, cores(w.cores))
					}
				}
			}

			require.Equal(t, c.want, got)
		})
	}
}
