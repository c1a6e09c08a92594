package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// While the usage store is away, services wait for it: their attempts are not burned, and when it is back all are
// evaluated.
func TestServicesWaitForTheUsageStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const services = 1000

		f := start(t, func(c *Config) { c.Workers = 8 })
		f.usage.fail(errAway)

		for i := range services {
			f.enqueue(fmt.Sprintf("prod/s%d", i), queue.Signal)
		}

		<-time.After(time.Hour)
		synctest.Wait()

		threshold := queue.Default().Breaker.Threshold
		require.Equal(t, threshold-1, f.observer.outcomes()[Retried], "until it was clear whose fault it was")
		require.Equal(t, services, f.queue.Depth().Waiting)

		status := f.queue.Dependencies()[0]
		require.Equal(t, UsageStore, status.Name)
		require.Equal(t, queue.Open, status.State)
		require.Contains(t, status.Message, errAway.Error())

		warnings := strings.Count(f.log.String(), "level=WARN")
		require.Less(t, warnings, 300, "one for each probe, not for each service")

		f.usage.set(nil)
		<-time.After(time.Minute)
		synctest.Wait()
		require.Zero(t, f.queue.Depth())
		require.Equal(t, services, f.observer.outcomes()[Succeeded])
		require.Contains(t, f.log.String(), "evaluations go on")
	})
}

// The store that commits is a dependency like the other.
func TestServicesWaitForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.store.set(func(*store.Memory, store.Commit) error { return errors.New("no leader") })

		for i := range 50 {
			f.enqueue(fmt.Sprintf("prod/s%d", i), queue.Signal)
		}

		<-time.After(time.Minute)
		synctest.Wait()
		require.Equal(t, 50, f.queue.Depth().Waiting)
		require.Equal(t, queue.Open, f.queue.Dependencies()[1].State)
		require.Equal(t, queue.Closed, f.queue.Dependencies()[0].State)

		f.store.set(nil)
		<-time.After(time.Minute)
		synctest.Wait()
		require.Equal(t, 50, f.observer.outcomes()[Succeeded])
	})
}

// enqueueSome enqueues more services than must fail until a dependency is held to be missing.
func (f *fixture) enqueueSome() (services int) {
	f.Helper()

	services = queue.Default().Breaker.Threshold + 3
	for i := range services {
		f.enqueue(fmt.Sprintf("prod/s%d", i), queue.Signal)
	}

	return services
}

// hangingStore answers no read until the caller gives up.
type hangingStore struct{ *store.Memory }

func (hangingStore) Get(ctx context.Context, _ string) (store.Record, error) {
	<-ctx.Done()

	return store.Record{}, context.Cause(ctx)
}

// A store that hangs costs no worker, and is found missing.
func TestAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startOn(t, func(m *store.Memory) store.Store { return hangingStore{m} }, func(c *Config) { c.Workers = 4 })
		services := f.enqueueSome()

		<-time.After(10 * time.Minute)
		synctest.Wait()

		require.Equal(t, queue.Closed, f.queue.Dependencies()[0].State)
		require.NotEqual(t, queue.Closed, f.queue.Dependencies()[1].State)
		require.GreaterOrEqual(t, f.queue.Depth().Waiting, services-1, "all but the probe wait")
	})
}

// A usage store that hangs and heeds no cancellation is missing, as one that refuses is; that the evaluations are
// abandoned does not show that it is back.
func TestAUsageStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 32 })
		held := make(chan struct{})

		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			<-held

			return seen(service), nil
		})

		services := f.enqueueSome()

		<-time.After(5 * time.Minute)
		synctest.Wait()
		require.Contains(t, []queue.BreakerState{queue.Open, queue.Probing}, f.queue.Dependencies()[0].State)
		require.Zero(t, f.queue.Depth().Failed)

		close(held)
		f.usage.set(nil)
		<-time.After(10 * time.Minute)
		synctest.Wait()
		require.Zero(t, f.queue.Depth())
		require.Equal(t, services, f.observer.outcomes()[Succeeded])
	})
}

// An answer that comes too late is the fault of who gives it, not of the store that is next.
func TestALateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(c *Config) { c.Workers = 32 })
		f.usage.set(func(ctx context.Context, service string) (usage.Snapshot, error) {
			<-ctx.Done()

			return seen(service), nil
		})
		f.enqueueSome()
		<-time.After(DefaultConfig().Timeout)
		synctest.Wait()

		require.Equal(t, queue.Open, f.queue.Dependencies()[0].State)
		require.Equal(t, queue.Closed, f.queue.Dependencies()[1].State)

		f.usage.set(nil)
		<-time.After(10 * time.Minute)
	})
}
