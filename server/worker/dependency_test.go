package worker

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
		require.Equal(t, threshold-1, f.observer.outcomes()["retry"], "until it was clear whose fault it was")
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
		require.Equal(t, services, f.observer.outcomes()["ok"])
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
		require.Equal(t, 50, f.observer.outcomes()["ok"])
	})
}
