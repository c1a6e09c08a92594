package demo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// evaluated is a recommendation to stay, made now.
func evaluated(service string, memory int64) *tidemarkv1.Recommendation {
	has := &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: memory, Replicas: 2}

	return &tidemarkv1.Recommendation{
		Service: service, Allocation: has, Recommended: has,
		Direction: tidemarkv1.Direction_DIRECTION_NONE, EvaluateTime: timestamppb.Now(),
	}
}

// cast is a fleet of services that differ, a server that knows them, and a casting for them.
func cast(t *testing.T, services ...fleet.Service) (*casting, *tidemarktest.Server) {
	t.Helper()

	server := tidemarktest.New()
	t.Cleanup(server.Close)

	client := server.Dial()
	t.Cleanup(func() { _ = client.Close() })

	return &casting{
		client: client, fleet: fleet.New(services), sweepPeriod: 10 * time.Minute, pollInterval: 2 * time.Second,
		canary: "a/canary",
	}, server
}

// service is one with some memory, a share of which is in use.
func service(key, kind string, memory int64, share float64) fleet.Service {
	return fleet.Service{
		Key: key, Kind: kind, Allocation: size.Size{CPUMillis: 1000, MemoryBytes: memory, Replicas: 2},
		Demand: func(int, time.Time) workload.Demand { return workload.Demand{ResidentBytes: share * float64(memory)} },
	}
}

// find gives up after a while: time that is not real passes fast, and for ever.
func find(t *testing.T, c *casting) (int, error) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	return c.find(ctx)
}

func TestCastingFindsTheSteadyContentOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, server := cast(t,
			service("a/canary", "flat", 4*gib, 0.5),
			service("a/small", "flat", gib/2, 0.5),
			service("a/large", "flat", 128*gib, 0.5),
			service("a/full", "flat", 4*gib, 0.95),
			service("a/unknown", "flat", 4*gib, math.NaN()),
			service("a/moving", "flat", 4*gib, 0.5),
			service("a/failing", "flat", 4*gib, 0.5),
			service("a/resized", "flat", 4*gib, 0.5),
			service("a/wave", "daily", 4*gib, 0.5),
			service("a/steady", "flat", 4*gib, 0.5),
		)

		for i := range c.fleet.Len() {
			s := c.fleet.Service(i)
			r := evaluated(s.Key, s.Allocation.MemoryBytes)

			switch s.Key {
			case "a/moving":
				r.Direction = tidemarkv1.Direction_DIRECTION_DOWN
			case "a/failing":
				r.Failure = &tidemarkv1.Failure{Message: "x"}
			case "a/resized":
				r.Allocation = &tidemarkv1.Size{MemoryBytes: 8 * gib}
			}

			server.Put(r)
		}

		server.Put(evaluated("a/of-somebody-else", 4*gib))

		// Its slot is not near.
		advance(c.untilSwept(9) + c.sweepPeriod/2)

		for _, r := range server.Recommendations() {
			r.EvaluateTime = timestamppb.Now()
			server.Put(r)
		}

		found, err := find(t, c)
		require.NoError(t, err)
		require.Equal(t, "a/steady", c.fleet.Service(found).Key)
		require.Empty(t, server.Enqueued())
	})
}

func TestCastingHasServicesEvaluatedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, server := cast(t, service("a/b", "flat", 4*gib, 0.5))

		moving := evaluated("a/b", 4*gib)
		moving.Direction = tidemarkv1.Direction_DIRECTION_UP
		server.Put(moving)

		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too long"))
		defer cancel()

		_, err := c.find(ctx)
		require.ErrorContains(t, err, "too long; at the last look: none is content")
		require.NotEmpty(t, server.Enqueued())
		require.Equal(t, "a/b", server.Enqueued()[0].GetService())

		// As a person would have asked.
		require.Equal(t, tidemarkv1.Trigger_TRIGGER_UNSPECIFIED, server.Enqueued()[0].GetTrigger())
	})
}

func TestCastingWaitsForTheSweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, server := cast(t, service("a/b", "flat", 4*gib, 0.5))
		server.Put(evaluated("a/b", 4*gib))

		// Shortly before its slot it is about to be evaluated, and so it is after it until it has been.
		advance(c.untilSwept(0) - 5*time.Second)

		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, errors.New("too long"))
		defer cancel()

		_, err := c.find(ctx)
		require.ErrorContains(t, err, "all are about to be evaluated")

		// An evaluation that may have begun before the slot does not count.
		server.Put(evaluated("a/b", 4*gib))

		soon, cancelSoon := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too long"))
		defer cancelSoon()

		_, err = c.find(soon)
		require.ErrorContains(t, err, "all are about to be evaluated")

		advance(longest)
		server.Put(evaluated("a/b", 4*gib))

		found, err := find(t, c)
		require.NoError(t, err)
		require.Zero(t, found)
	})
}

func TestCastingWithoutAnybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, server := cast(t, service("a/b", "flat", 4*gib, math.NaN()))
		require.False(t, c.possible())

		_, err := find(t, c)
		require.ErrorIs(t, err, errNobody)
		require.Empty(t, server.Enqueued())
	})
}

func TestUntilSwept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		services := make([]fleet.Service, 50)
		for i := range services {
			services[i] = service(fmt.Sprintf("a/%d", i), "flat", 4*gib, 0.5)
		}

		c, _ := cast(t, services...)

		for i := range services {
			wait := c.untilSwept(i)
			require.GreaterOrEqual(t, wait, time.Duration(0))
			require.Less(t, wait, c.sweepPeriod)

			advance(time.Second)
			require.Equal(t, (wait-time.Second+c.sweepPeriod)%c.sweepPeriod, c.untilSwept(i))
		}
	})
}
