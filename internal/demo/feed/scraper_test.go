package feed_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestScraperTakesTurnsAndGoesOnWithoutClickHouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		services := make([]fleet.Service, 4)

		for i := range services {
			key := "a/" + string(rune('0'+i))
			services[i] = fleet.Service{
				Key: key, Allocation: size.Size{Replicas: 1},
				Demand: func(int, time.Time) workload.Demand {
					asked[key]++

					return workload.Demand{CPUCores: 1}
				},
			}
		}

		f := fleet.New(services)
		f.Claim(3)

		failures := 0
		scraper := feed.Scraper{
			Writer: feed.NewWriter(away{}, clickhouseschema.DefaultNames()), Fleet: f, Interval: 15 * time.Second,
			OnInsert: func(err error) {
				if err != nil {
					failures++
				}
			},
		}

		ctx, cancel := context.WithTimeout(t.Context(), 31*time.Second)
		defer cancel()

		scraper.Run(ctx)

		// Twice 15 seconds: each service twice, in three turns; what is claimed not at all.
		require.Equal(t, map[string]int{"a/0": 2, "a/1": 2, "a/2": 2}, asked)
		require.Equal(t, 6, failures)
	})
}
