package main

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// statesOf are the states of the queue's items, by service.
func statesOf(server *tidemarktest.Server) map[string]tidemarkv1.ItemState {
	states := make(map[string]tidemarkv1.ItemState)
	for _, item := range server.QueueItems() {
		states[item.GetService()] = item.GetState()
	}

	return states
}

func TestQueueRetry(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(queueItems()...)

		require.Equal(t, "prod/users-db  is due now\nprod/orders-db  is being evaluated already\n",
			queuePrinted(t, server, "retry", "prod/users-db", "prod/orders-db"))
		require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_WAITING, statesOf(server)["prod/users-db"])

		require.JSONEq(t, `{"service":"dev/batch-7","state":"ITEM_STATE_WAITING","due_time":"2000-01-01T00:00:00Z",
			"enqueue_time":"2000-01-01T00:00:00Z","triggers":[{"trigger":"TRIGGER_MANUAL","count":1}]}`,
			queuePrinted(t, server, "retry", "--json", "dev/batch-7"))
	})
}

func TestQueueRetryOfAllThatFailed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		failed := tidemarkv1.ItemState_ITEM_STATE_FAILED

		server.SetQueueItems(append(queueItems(),
			&tidemarkv1.QueueItem{Service: "dev/a", State: failed}, &tidemarkv1.QueueItem{Service: "dev/b", State: failed},
		)...)

		require.Equal(t, "dev/a  is due now\ndev/b  is due now\n", queuePrinted(t, server, "retry", "--failed", "--tenant=dev"))
		require.Equal(t, "prod/gone-db  is due now\n", queuePrinted(t, server, "retry", "--failed"))
		require.Equal(t, "nothing was given up\n", queuePrinted(t, server, "retry", "--failed"))
		require.Empty(t, queuePrinted(t, server, "retry", "--failed", "--json"))
		require.Equal(t, tidemarkv1.ItemState_ITEM_STATE_BACKING_OFF, statesOf(server)["prod/users-db"], "it has not failed")
	})
}

// Nobody named them, so what has gone since they were listed is not missed.
func TestQueueRetryOfWhatHasGoneMeanwhile(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(
			&tidemarkv1.QueueItem{Service: "dev/a", State: tidemarkv1.ItemState_ITEM_STATE_FAILED},
			&tidemarkv1.QueueItem{Service: "dev/b", State: tidemarkv1.ItemState_ITEM_STATE_FAILED},
		)
		server.FailWith(func(method string) error {
			if method == "RetryItem" {
				server.SetQueueItems(slices.DeleteFunc(server.QueueItems(), func(item *tidemarkv1.QueueItem) bool {
					return item.GetService() == "dev/a"
				})...)
			}

			return nil
		})

		require.Equal(t, "dev/b  is due now\n", queuePrinted(t, server, "retry", "--failed"))
	})
}

func TestQueueCancel(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(queueItems()...)

		require.Equal(t, "prod/users-db  cancelled, was backing off\nprod/orders-db  cancelled, was running\n",
			queuePrinted(t, server, "cancel", "prod/users-db", "prod/orders-db"))
		require.Len(t, server.QueueItems(), 2)
		require.Contains(t, queuePrinted(t, server, "cancel", "--json", "dev/batch-7"), `{"service":"dev/batch-7",`)
	})
}

// An argument that cannot be a key keeps the command from all of them, before the first call.
func TestQueueActionsWithBadKeys(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.FailWith(func(method string) error {
			t.Error("the server was asked for", method)

			return nil
		})

		for _, verb := range []string{"retry", "cancel"} {
			var line queueLine

			require.EqualError(t, line.run(t.Context(), server, verb, "dev/batch-7", "badname", "prod/x", "a//b", ""),
				`"badname", "a//b", "": not the key of a service, which must be "tenant/name", such as "prod/orders-db": `+
					`letters, digits, dots, dashes and underscores, 253 characters at most; nothing was done`)
			require.Empty(t, line.out.taken())
		}
	})
}

// What was listed before a page did not come is retried all the same.
func TestQueueRetryThatEndsEarly(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(manyItems(listPage+1, tidemarkv1.ItemState_ITEM_STATE_FAILED)...)
		slowPages(server, 0, 11*time.Second)

		var line queueLine

		require.EqualError(t, line.run(t.Context(), server, "retry", "--failed"),
			"passthrough:///tidemarktest did not answer in time\n  1000 were retried before that; give the command again for the rest")
		require.Equal(t, listPage, strings.Count(line.out.taken(), "  is due now\n"))

		server.FailWith(nil)
		require.Equal(t, "prod/s1000  is due now\n", queuePrinted(t, server, "retry", "--failed"))
	})
}

// One that is not there does not keep the command from the others; a server that is not there does.
func TestQueueActionsThatFail(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(queueItems()...)

		for verb, said := range map[string]string{"retry": "is due now", "cancel": "cancelled, was waiting"} {
			var line queueLine

			require.EqualError(t, line.run(t.Context(), server, verb, "prod/x", "dev/batch-7", "prod/y"),
				"there is no item for service prod/x in the queue (QUEUE_ITEM_NOT_FOUND)\n"+
					"there is no item for service prod/y in the queue (QUEUE_ITEM_NOT_FOUND)")
			require.Equal(t, "dev/batch-7  "+said+"\n", line.out.taken())
			server.SetQueueItems(queueItems()...)
		}

		calls := 0

		server.FailWith(func(string) error {
			calls++

			return status.Error(codes.PermissionDenied, "not you")
		})

		for i, args := range [][]string{
			{"retry", "prod/users-db", "dev/batch-7"}, {"cancel", "prod/users-db", "dev/batch-7"}, {"retry", "--failed"},
		} {
			var line queueLine

			require.EqualError(t, line.run(t.Context(), server, args...),
				"passthrough:///tidemarktest answered: not you (PermissionDenied)")
			require.Equal(t, i+1, calls)
		}
	})
}

func TestWrongFlagsOfQueueActions(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)

		for want, args := range map[string][]string{
			"name services or give --failed, not both":                                {"retry", "--failed", "prod/a"},
			"name the services to retry, or give --failed for all that were given up": {"retry"},
			"--tenant goes with --failed":                                             {"retry", "--tenant=prod", "prod/a"},
			"expected \"<service> ...\"":                                              {"cancel"},
			"missing flags: --reason=STRING":                                          {"pause", "accepting"},
			"--for: -1m0s is not positive":                                            {"pause", "accepting", "--reason=x", "--for=-1m"},
			"<what> must be one of":                                                   {"pause", "everything", "--reason=x"},
			"expected \"<what>\"":                                                     {"resume"},
		} {
			var line queueLine

			require.ErrorContains(t, line.run(t.Context(), server, args...), want)
		}
	})
}
