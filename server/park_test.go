package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// lastingStore is a store that outlives a server.
type lastingStore struct{ *store.Memory }

func (lastingStore) Close() error { return nil }

// What a server leaves when it stops, its successor takes up: nothing is lost, and a service that had failed is not
// thought to be new.
func TestASuccessorTakesUpWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := lastingStore{store.NewMemory()}
		config := quiet()
		config.Worker.Workers = 1
		config.Queue.Rand = func(n int64) int64 { return n - 1 }

		first := runOn(t, config, st, func(context.Context) error { return errors.New("no such column") })
		first.enqueue(t, "prod/fails")
		synctest.Wait()

		first.usage.set(lasting(time.Minute))
		first.enqueue(t, "prod/slow")
		synctest.Wait()
		first.enqueue(t, "prod/waits")

		before := items(t, first)
		require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_BACKING_OFF, before["prod/fails"].GetState())
		require.NoError(t, first.end())

		second := runOn(t, config, st, lasting(time.Hour))
		synctest.Wait()

		after := items(t, second)
		require.Len(t, after, 3)
		require.EqualValues(t, 1, after["prod/fails"].GetAttempts())
		require.Equal(t, before["prod/fails"].GetLastError(), after["prod/fails"].GetLastError())
		require.Zero(t, after["prod/slow"].GetAttempts(), "that it was cut off is no failure")

		second.usage.set(nil)
		<-time.After(2 * time.Hour)

		for service := range after {
			got, err := second.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: service})
			require.NoError(t, err)
			require.EqualValues(t, 2000, got.GetRecommendation().GetRecommended().GetCpuMillis(), service)
		}

		require.Empty(t, items(t, second))
	})
}

// items returns what is in a server's queue.
func items(t *testing.T, r *running) map[string]*tidemarkv1.QueueItem {
	t.Helper()

	response, err := tidemarkv1.NewQueueServiceClient(r.conn).ListQueueItems(t.Context(), &tidemarkv1.ListQueueItemsRequest{})
	require.NoError(t, err)

	items := make(map[string]*tidemarkv1.QueueItem)
	for _, item := range response.GetItems() {
		items[item.GetService()] = item
	}

	return items
}
