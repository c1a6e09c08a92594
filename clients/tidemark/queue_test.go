package tidemark_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestQueueItemsYieldsAllPages(t *testing.T) {
	t.Parallel()

	server, client := connected(t)

	items := make([]*tidemarkv1.QueueItem, 7)
	for i := range items {
		state := tidemarkv1.ItemState_ITEM_STATE_WAITING
		if i%2 == 1 {
			state = tidemarkv1.ItemState_ITEM_STATE_FAILED
		}

		items[i] = &tidemarkv1.QueueItem{Service: fmt.Sprintf("a/%d", i), State: state}
	}

	server.SetQueueItems(items...)

	calls := 0

	server.FailWith(func(string) error {
		calls++

		return nil
	})

	listed := func(request *tidemarkv1.ListQueueItemsRequest) []string {
		var got []string

		for item, err := range client.QueueItems(t.Context(), request) {
			require.NoError(t, err)

			got = append(got, item.GetService())
		}

		return got
	}

	require.Equal(t, []string{"a/0", "a/1", "a/2", "a/3", "a/4", "a/5", "a/6"},
		listed(&tidemarkv1.ListQueueItemsRequest{PageSize: 3}))
	require.Equal(t, 3, calls)
	require.Equal(t, []string{"a/1", "a/3", "a/5"}, listed(&tidemarkv1.ListQueueItemsRequest{
		PageSize: 3, States: []tidemarkv1.ItemState{tidemarkv1.ItemState_ITEM_STATE_FAILED},
	}))
	require.Empty(t, listed(&tidemarkv1.ListQueueItemsRequest{Tenant: "b"}))
}

func TestQueueItemsEndsWithItsError(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	server.FailWith(func(string) error { return status.Error(codes.Internal, "broken") })

	for _, err := range client.QueueItems(t.Context(), nil) {
		require.ErrorContains(t, err, "list the items of the queue: ")
		require.Equal(t, codes.Internal, status.Code(err))
	}
}

func TestTheQueueCanBeSteered(t *testing.T) {
	t.Parallel()

	_, client := connected(t)

	_, err := client.Queue().RetryItem(t.Context(), &tidemarkv1.RetryItemRequest{Service: "a/none"})
	require.True(t, tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND))

	_, err = client.Queue().PauseQueue(t.Context(), &tidemarkv1.PauseQueueRequest{
		Scope: tidemarkv1.PauseScope_PAUSE_SCOPE_EVALUATING, Author: "ana",
	})
	require.NoError(t, err)

	shown, err := client.Queue().GetQueueStatus(t.Context(), &tidemarkv1.GetQueueStatusRequest{})
	require.NoError(t, err)
	require.Equal(t, "ana", shown.GetPauses()[0].GetAuthor())
}
