package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// An item that is due waits all the same while the queue is held up, and whoever retries it is told.
func TestQueueRetryWhileTheQueueIsHeldUp(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(queueItems()...)

		clock := time.Now().Format("15:04")
		printed := func(services ...string) string {
			return queuePrinted(t, server, append([]string{"retry"}, services...)...)
		}

		queuePrinted(t, server, "pause", "accepting", "--reason=flood", "--author=ben")
		require.Equal(t, "dev/batch-7  is due now\n", printed("dev/batch-7"), "that holds up nothing that is there")

		queuePrinted(t, server, "pause", "evaluating", "--reason=ClickHouse\nupgrade", "--author=ana")
		require.Equal(t, "dev/batch-7  is due now, and waits: evaluating is paused by ana since "+clock+
			" (0s): ClickHouse upgrade\nprod/orders-db  is being evaluated already\n", printed("dev/batch-7", "prod/orders-db"))

		server.SetQueueStatus(&tidemarkv1.GetQueueStatusResponse{Dependencies: []*tidemarkv1.DependencyStatus{
			{Name: "store", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_AVAILABLE},
			{
				Name: "usage store", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_UNAVAILABLE, Unavailable: true,
				Message: "waiting for usage store: timeout", SinceTime: earlier(0),
			},
			{
				Name: "advisor", State: tidemarkv1.DependencyState_DEPENDENCY_STATE_RECOVERING,
				Message: "advisor is back after: timeout", SinceTime: earlier(0),
			},
		}})
		require.Contains(t, printed("dev/batch-7"), "upgrade; usage store is missing since "+clock+
			" (0s); advisor is back, and what has waited is evaluated little by little\n")

		queuePrinted(t, server, "resume", "evaluating")
		require.Equal(t, "dev/batch-7  is due now, and waits: usage store is missing since "+clock+
			" (0s); advisor is back, and what has waited is evaluated little by little\n", printed("dev/batch-7"))
		require.NotContains(t, printed("--json", "dev/batch-7"), "waits")
	})
}

// What is said of the last of many holds when it is said, and the server is not asked for each.
func TestQueueRetryWhileAPauseBegins(t *testing.T) {
	t.Parallel()

	const items, retryTime = 100, 100 * time.Millisecond

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(manyItems(items, tidemarkv1.ItemState_ITEM_STATE_FAILED)...)

		calls := make(map[string]int)

		server.FailWith(func(method string) error {
			calls[method]++

			switch {
			case method != "RetryItem":
			case calls[method] == items/2:
				server.SetQueueStatus(&tidemarkv1.GetQueueStatusResponse{Dependencies: []*tidemarkv1.DependencyStatus{
					{Name: "usage store", Unavailable: true, SinceTime: earlier(0)},
				}})
			default:
				<-time.After(retryTime)
			}

			return nil
		})

		printed := strings.SplitAfter(queuePrinted(t, server, "retry", "--failed"), "\n")
		require.Equal(t, "prod/s0  is due now\n", printed[0])
		require.Contains(t, printed[items-1], "prod/s99  is due now, and waits: usage store is missing since ")
		require.Less(t, calls["GetQueueStatus"], items/5)
	})
}

// A server that does not say what holds it up is asked once, and retries all the same.
func TestQueueRetryWhenThereIsNoStatus(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(manyItems(2, tidemarkv1.ItemState_ITEM_STATE_FAILED)...)
		server.FailWith(func(method string) error {
			switch method {
			case "GetQueueStatus":
				return status.Error(codes.PermissionDenied, "not you")
			case "RetryItem":
				<-time.After(2 * holdUpAge)
			}

			return nil
		})

		var line queueLine

		require.NoError(t, line.run(t.Context(), server, "retry", "prod/s0", "prod/s1"))
		require.Equal(t, "prod/s0  is due now\nprod/s1  is due now\n", line.out.taken())
		require.Equal(t, 1, strings.Count(line.errOut.taken(), "not you"))
	})
}
