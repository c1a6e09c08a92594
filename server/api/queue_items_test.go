package api

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
)

func services(items []*tidemarkv1.QueueItem) []string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.GetService()
	}

	return names
}

func TestItemsAreListedWithAllThatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := startOperated(t, func(c *queue.Config) { c.Rand = func(int64) int64 { return int64(500*time.Millisecond) - 1 } })
		o.fill()

		now := timestamppb.Now()
		after := func(d time.Duration) *timestamppb.Timestamp { return timestamppb.New(now.AsTime().Add(d)) }
		record := func(trigger tidemarkv1.Trigger) []*tidemarkv1.TriggerRecord {
			return []*tidemarkv1.TriggerRecord{{Trigger: trigger, ObservedTime: now, EnqueueTime: now, Count: 1}}
		}

		items := o.items(&tidemarkv1.ListQueueItemsRequest{})
		require.Len(t, items, 5)

		for i, want := range []*tidemarkv1.QueueItem{
			{
				Service: "prod/running", State: tidemarkv1.ItemState_ITEM_STATE_RUNNING, Triggers: record(signal),
				DueTime: now, EnqueueTime: now, StartTime: now,
			},
			{
				Service: "prod/away", State: tidemarkv1.ItemState_ITEM_STATE_BACKING_OFF, Triggers: record(signal),
				DueTime: after(500 * time.Millisecond), EnqueueTime: now, Attempts: 1, LastError: "timeout",
			},
			{
				Service: "dev/waiting", State: tidemarkv1.ItemState_ITEM_STATE_WAITING,
				Triggers: record(tidemarkv1.Trigger_TRIGGER_MANUAL), DueTime: after(time.Second), EnqueueTime: now,
			},
			{
				Service: "prod/waiting", State: tidemarkv1.ItemState_ITEM_STATE_WAITING, Triggers: record(periodic),
				DueTime: after(5 * time.Minute), EnqueueTime: now,
			},
			{
				Service: "prod/failed", State: tidemarkv1.ItemState_ITEM_STATE_FAILED, Triggers: record(signal),
				EnqueueTime: now, Attempts: 1, LastError: "no policy",
			},
		} {
			requireEqualMessages(t, want, items[i])
		}

		require.Equal(t, []string{"prod/away", "prod/failed"}, services(o.items(&tidemarkv1.ListQueueItemsRequest{
			PageSize: 1, Tenant: "prod", States: []tidemarkv1.ItemState{
				tidemarkv1.ItemState_ITEM_STATE_FAILED, tidemarkv1.ItemState_ITEM_STATE_BACKING_OFF,
			},
		})))
		require.Empty(t, o.items(&tidemarkv1.ListQueueItemsRequest{Tenant: "nobody"}))
	})
}

// Whatever the size of the pages, every item is on one of them and on one only, in the order of due times.
func TestEveryItemIsListedOnce(t *testing.T) {
	o := startOperated(t)
	wishes := rapid.MapOf(rapid.StringMatching(`[ab]/[a-z]{1,3}`), rapid.SampledFrom([]tidemarkv1.Trigger{
		periodic, signal, tidemarkv1.Trigger_TRIGGER_MANUAL,
	}))

	rapid.Check(t, func(rt *rapid.T) {
		drawn := wishes.Draw(rt, "wishes")
		for service, trigger := range drawn {
			o.enqueue(&tidemarkv1.EnqueueRequest{Service: service, Trigger: trigger})
		}

		tenant := rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "tenant")
		items := o.items(&tidemarkv1.ListQueueItemsRequest{
			Tenant: tenant, PageSize: rapid.Int32Range(1, 10).Draw(rt, "page size"),
		})

		want := slices.Sorted(maps.Keys(drawn))
		want = slices.DeleteFunc(want, func(s string) bool { return tenant != "" && !strings.HasPrefix(s, tenant+"/") })

		require.ElementsMatch(rt, want, services(items))
		require.True(rt, slices.IsSortedFunc(items, func(a, b *tidemarkv1.QueueItem) int {
			return a.GetDueTime().AsTime().Compare(b.GetDueTime().AsTime())
		}))

		for service := range drawn {
			o.cancel(service)
		}
	})
}

func TestPagesOfItemsHaveASize(t *testing.T) {
	o := startOperated(t)

	for i := range queueItemsMaxPage + 1 {
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: fmt.Sprintf("prod/s%d", i)})
	}

	for asked, want := range map[int32]int{0: queueItemsPage, 7: 7, 1 << 30: queueItemsMaxPage} {
		page, err := o.operators.ListQueueItems(t.Context(), &tidemarkv1.ListQueueItemsRequest{PageSize: asked})
		require.NoError(t, err)
		require.Len(t, page.GetItems(), want)
		require.NotEmpty(t, page.GetNextPageToken())
	}
}

func TestATokenOfAnotherListIsRefused(t *testing.T) {
	o := startOperated(t)

	for _, service := range []string{"prod/a", "prod/b", "prod/c"} {
		o.enqueue(&tidemarkv1.EnqueueRequest{Service: service})
	}

	first, err := o.operators.ListQueueItems(t.Context(), &tidemarkv1.ListQueueItemsRequest{Tenant: "prod", PageSize: 1})
	require.NoError(t, err)

	token := first.GetNextPageToken()
	short := encodePageToken("1234567", o.operators.lineage^listKey(&tidemarkv1.ListQueueItemsRequest{}))

	for name, request := range map[string]*tidemarkv1.ListQueueItemsRequest{
		"another tenant": {Tenant: "dev", PageToken: token},
		"no tenant":      {PageToken: token},
		"other states": {
			Tenant: "prod", PageToken: token, States: []tidemarkv1.ItemState{tidemarkv1.ItemState_ITEM_STATE_FAILED},
		},
		"not base64":    {Tenant: "prod", PageToken: "?"},
		"of no list":    {PageToken: base64.RawURLEncoding.EncodeToString([]byte("12345678"))},
		"without place": {PageToken: short},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := o.operators.ListQueueItems(t.Context(), request)
			requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)
		})
	}

	same := &tidemarkv1.ListQueueItemsRequest{Tenant: "prod", PageToken: token, PageSize: 2} // another size is no other list
	page, err := o.operators.ListQueueItems(t.Context(), same)
	require.NoError(t, err)
	require.Len(t, page.GetItems(), 2)

	// After a restart due times are counted from another moment.
	restarted := NewQueue(o.queue, o.store, slog.New(slog.DiscardHandler))
	_, err = restarted.ListQueueItems(t.Context(), same)
	requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)
}

func FuzzDecodePosition(f *testing.F) {
	f.Add("", uint64(0))
	f.Add(encodePosition(queue.Position{Due: -1, Service: "prod/a"}, 1), uint64(1))
	f.Add(encodePageToken("1234567", 1), uint64(1))

	f.Fuzz(func(t *testing.T, token string, key uint64) {
		place, err := decodePosition(token, key)
		if err != nil {
			require.Zero(t, place)
			requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)

			return
		}

		again, err := decodePosition(encodePosition(place, key), key)
		require.NoError(t, err)
		require.Equal(t, place, again)
	})
}

// The tables that turn the queue's values into the API's and back must not fall behind the published ones.
func TestEveryValueOfTheQueueIsPublished(t *testing.T) {
	require.Len(t, itemStates, len(tidemarkv1.ItemState_name)-1)
	require.Len(t, scopes, len(tidemarkv1.PauseScope_name)-1)
	require.Len(t, dependencyStates, len(tidemarkv1.DependencyState_name)-1)
	require.Len(t, queue.Triggers(), len(tidemarkv1.Trigger_name)-1)

	for ours, published := range itemStates {
		require.Equal(t, published.String(), "ITEM_STATE_"+upper(ours))
		require.Equal(t, ours, statesByName[published])
	}

	for ours, published := range scopes {
		require.Equal(t, published.String(), "PAUSE_SCOPE_"+upper(ours))
		require.Equal(t, ours, scopesByName[published])
	}

	for _, ours := range queue.Triggers() {
		require.Equal(t, apivalue.Trigger(ours).String(), "TRIGGER_"+upper(ours))
	}

	require.Len(t, inverse(dependencyStates), len(dependencyStates))
}
