package api

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)

		for _, failure := range []func(queue.Lease){
			func(l queue.Lease) { l.Fail(errors.New("no policy")) },
			func(l queue.Lease) { l.Retry(errors.New("timeout")) },
		} {
			o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: periodic})
			failure(o.take())

			item := o.retry("prod/a")
			require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_WAITING, item.GetState())
			require.Zero(t, item.GetAttempts())
			require.Empty(t, item.GetLastError())
			require.False(t, item.GetDueTime().AsTime().After(time.Now()))

			lease := o.take()
			require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_RUNNING, o.retry("prod/a").GetState(), "it goes on as it is")
			lease.Succeed()
		}

		require.Zero(t, o.queue.Depth())
	})
}

// A cancelled item is gone from the queue and from what a restart would bring back.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)
		o.fill()
		require.Len(t, o.work(), 5)

		for _, service := range []string{"prod/failed", "prod/away", "prod/waiting"} {
			require.Equal(t, service, o.cancel(service).GetService())
			require.NotContains(t, o.work(), service)
		}

		require.Equal(t, queue.Depth{Waiting: 1, Running: 1}, o.queue.Depth())
		require.Len(t, o.work(), 2)
	})
}

func TestCancelOfWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t)
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

		revoked := false
		lease := o.take()
		lease.OnRevoke(func() { revoked = true })
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal}) // once more

		item := o.cancel("prod/a")
		require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_RUNNING, item.GetState())
		require.Len(t, item.GetTriggers(), 2)
		require.True(t, revoked)
		require.Empty(t, o.work())

		// What comes after the cancellation is a new wish.
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})
		lease.Release()
		require.Contains(t, o.work(), "prod/a")
		require.Equal(t, queue.Depth{Waiting: 1}, o.queue.Depth())
	})
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	o := startOperated(t)
	_, cancelled := o.operators.CancelItem(t.Context(), &tidemarkv1.CancelItemRequest{Service: "prod/none"})
	_, retried := o.operators.RetryItem(t.Context(), &tidemarkv1.RetryItemRequest{Service: "prod/none"})

	for _, err := range []error{cancelled, retried} {
		st := requireStatus(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND)
		require.Equal(t, "there is no item for service prod/none in the queue", st.Message())

		resource, is := st.Details()[1].(*errdetails.ResourceInfo)
		require.True(t, is)
		require.Equal(t, "prod/none", resource.GetResourceName())
	}
}

// meddlingStore does something before it discards.
type meddlingStore struct {
	*store.Memory

	before func() error
}

func (s meddlingStore) Discard(ctx context.Context, service string, upTo int64) error {
	if err := s.before(); err != nil {
		return err
	}

	return s.Memory.Discard(ctx, service, upTo)
}

// operate returns the service with another store.
func (o *operated) operate(before func() error) *Queue {
	return NewQueue(o.queue, meddlingStore{o.memory, before}, slog.New(slog.DiscardHandler))
}

// When the store is away nothing is cancelled, so that the call can be repeated.
func TestCancelWithoutAStore(t *testing.T) {
	o := startOperated(t)
	o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

	_, err := o.operate(func() error { return store.ErrClosed }).
		CancelItem(t.Context(), &tidemarkv1.CancelItemRequest{Service: "prod/a"})
	requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)
	require.Equal(t, queue.Depth{Waiting: 1}, o.queue.Depth())

	o.cancel("prod/a")
	require.Zero(t, o.queue.Depth())
	require.Empty(t, o.work())
}

// Work that comes while the item is being cancelled goes with it, in the queue and in the store.
func TestWorkThatComesDuringACancellation(t *testing.T) {
	o := startOperated(t)
	o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

	calls := 0
	meddling := o.operate(func() error {
		if calls++; calls == 1 {
			o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a", Trigger: signal})
		}

		return nil
	})

	response, err := meddling.CancelItem(t.Context(), &tidemarkv1.CancelItemRequest{Service: "prod/a"})
	require.NoError(t, err)
	require.Len(t, response.GetItem().GetTriggers(), 2)
	require.Zero(t, o.queue.Depth())
	require.Empty(t, o.work())
}

// An item that ends by itself while it is being cancelled was there, and is gone as it should be.
func TestAnItemThatEndsDuringItsCancellation(t *testing.T) {
	o := startOperated(t)
	o.enqueue(&tidemarkv1.EnqueueRequest{Service: "prod/a"})

	lease := o.take()

	response, err := o.operate(func() error {
		lease.Succeed()

		return nil
	}).CancelItem(t.Context(), &tidemarkv1.CancelItemRequest{Service: "prod/a"})
	require.NoError(t, err)
	require.Equal(t, "prod/a", response.GetItem().GetService())
	require.Zero(t, o.queue.Depth())
}
