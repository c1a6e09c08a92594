package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestQueueList(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		require.Equal(t, "no items\n", queuePrinted(t, server, "list"))
		require.Empty(t, queuePrinted(t, server, "list", "--json"))

		server.SetQueueItems(queueItems()...)

		require.Equal(t, strings.TrimPrefix(`
SERVICE         STATE           DUE     CAME    TRIGGERS                                FAILURES  LAST ERROR
prod/orders-db  running for 3s  4s ago  4s ago  signal by clickhouse, periodic by cron  0         -
prod/users-db   backing off     in 42s  3m ago  periodic by cron                        2         usage store: timeout [31m
dev/batch-7     waiting         in 5m   0s ago  manual                                  0         -
prod/gone-db    failed          -       3h ago  periodic by cron                        6         no policy matches
`, "\n"), queuePrinted(t, server, "list"))

		require.Equal(t, strings.TrimPrefix(`
SERVICE        STATE        DUE     CAME    TRIGGERS          FAILURES  LAST ERROR
prod/users-db  backing off  in 42s  3m ago  periodic by cron  2         usage store: timeout [31m
dev/batch-7    waiting      in 5m   0s ago  manual            0         -
`, "\n"), queuePrinted(t, server, "list", "--state=waiting,backing-off"))

		require.JSONEq(t, `{"service":"dev/batch-7","state":"ITEM_STATE_WAITING","due_time":"2000-01-01T00:05:00Z",
			"enqueue_time":"2000-01-01T00:00:00Z","triggers":[{"trigger":"TRIGGER_MANUAL","count":1}]}`,
			queuePrinted(t, server, "list", "--tenant=dev", "--json"))
	})
}

func TestQueueFailed(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(queueItems()...)

		require.Equal(t, strings.TrimPrefix(`
SERVICE       FAILURES  CAME    TRIGGERS          LAST ERROR
prod/gone-db  6         3h ago  periodic by cron  no policy matches
`, "\n"), queuePrinted(t, server, "failed"))
		require.Equal(t, "no items\n", queuePrinted(t, server, "failed", "--tenant=dev"))
		require.Contains(t, queuePrinted(t, server, "failed", "--json"), `"last_error":"no policy matches"`)
	})
}

// The limit holds whatever the number of pages, and what is left out is mentioned.
func TestQueueListHasALimit(t *testing.T) {
	t.Parallel()

	const items = 2 * listPage

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)

		many := make([]*tidemarkv1.QueueItem, items)
		for i := range many {
			many[i] = &tidemarkv1.QueueItem{Service: fmt.Sprintf("prod/s%d", i), State: tidemarkv1.ItemState_ITEM_STATE_WAITING}
		}

		server.SetQueueItems(many...)

		for args, want := range map[string]int{
			"--limit=0": items, "--limit=7": 7, "": 100, "--limit=1500": 1500, "--limit=2000": items, "--limit=99999": items,
		} {
			var line queueLine

			require.NoError(t, line.run(t.Context(), server, append([]string{"list", "--json"}, strings.Fields(args)...)...))
			require.Equal(t, want, strings.Count(line.out.taken(), "\n"), args)

			if want < items {
				require.Equal(t, "there are more: --limit=0 lists all\n", line.errOut.taken(), args)
			} else {
				require.Empty(t, line.errOut.taken(), args)
			}
		}
	})
}

func TestWrongFlagsOfQueueLists(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)

		for want, args := range map[string][]string{
			`--state: there is no "broken"`: {"list", "--state=broken"},
			`--limit: -1 is negative`:       {"failed", "--limit=-1"},
		} {
			var line queueLine

			require.EqualError(t, line.run(t.Context(), server, args...), want)
		}
	})
}

func TestOneLine(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"": "", "plain": "plain", " a\n\n b\t": "a b", "\x1b[2Jgone\x00": "[2Jgone", "größer ≥ 1": "größer ≥ 1",
	} {
		require.Equal(t, want, oneLine(text))
	}
}
