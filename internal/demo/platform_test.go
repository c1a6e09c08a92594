package demo

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const gib = int64(1) << 30

// smallFleet has the services a/0, a/1 and so on, all of one size.
func smallFleet(services int) *fleet.Fleet {
	all := make([]fleet.Service, services)
	for i := range all {
		all[i] = fleet.Service{
			Key: "a/" + string(rune('0'+i)), Kind: "flat",
			Allocation: size.Size{CPUMillis: 1000, MemoryBytes: 4 * gib, Replicas: 2},
			Demand: func(int, time.Time) workload.Demand {
				return workload.Demand{CPUCores: 0.5, ResidentBytes: float64(3 * gib), QueryBytes: float64(gib)}
			},
		}
	}

	return fleet.New(all)
}

func recommend(service string, memory int64) change {
	return change{read: time.Now(), Recommendation: &tidemarkv1.Recommendation{
		Service:     service,
		Direction:   tidemarkv1.Direction_DIRECTION_UP,
		Allocation:  &tidemarkv1.Size{CpuMillis: 1000, MemoryBytes: 4 * gib, Replicas: 2},
		Recommended: &tidemarkv1.Size{CpuMillis: 2000, MemoryBytes: memory, Replicas: 2},
	}}
}

func TestPlatformResizes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool

		written := make(chan []feed.Allocation, 10)

		f := smallFleet(2)
		p := &platform{fleet: f, delay: 3 * time.Second, write: func(_ context.Context, _ time.Time, a []feed.Allocation) error {
			if broken.Load() {
				return errors.New("ClickHouse is away")
			}

			written <- a

			return nil
		}}

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})

		go func() {
			defer close(done)
			p.run(ctx)
		}()

		followed := make(chan size.Size, 1)
		p.follow("a/0", followed)

		p.hear(recommend("a/0", 6*gib))
		p.hear(recommend("a/0", 8*gib))
		p.hear(recommend("a/unknown", 8*gib))

		advance(2900 * time.Millisecond)
		require.Empty(t, written, "not before the delay")
		require.Equal(t, 4*gib, f.Allocation(0).MemoryBytes)

		advance(400 * time.Millisecond)

		resized := size.Size{CPUMillis: 2000, MemoryBytes: 8 * gib, Replicas: 2}
		require.Equal(t, []feed.Allocation{{Service: "a/0", Size: resized}}, <-written)
		require.Equal(t, resized, f.Allocation(0))
		require.Equal(t, resized, <-followed)

		// What cannot be written is not in force, and comes later.
		broken.Store(true)
		p.hear(recommend("a/1", 16*gib))

		advance(10 * time.Second)
		require.Equal(t, 4*gib, f.Allocation(1).MemoryBytes)

		broken.Store(false)
		advance(time.Second)
		require.Equal(t, 16*gib, f.Allocation(1).MemoryBytes)

		cancel()
		<-done
	})
}

func TestChanges(t *testing.T) {
	t.Parallel()

	var (
		logged buffer
		heard  []string
	)

	c := newChanges(slog.New(slog.NewTextHandler(&logged, nil)))
	stop := c.listen(func(c change) {
		require.WithinDuration(t, time.Now(), c.read, patience)

		heard = append(heard, c.GetService())
	})

	c.take([]byte(`{"service":"a/b","revision":"3","field_of_the_future":1}`))
	require.Empty(t, logged.String())

	c.take([]byte(`no JSON at all`))
	require.Contains(t, logged.String(), "no JSON at all")

	stop()
	c.take([]byte(`{"service":"a/c"}`))
	require.Equal(t, []string{"a/b"}, heard)
}
