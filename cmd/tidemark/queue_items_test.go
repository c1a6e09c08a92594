package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
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
		server.SetQueueItems(manyItems(items, tidemarkv1.ItemState_ITEM_STATE_WAITING)...)

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

// manyItems are items in one state.
func manyItems(n int, state tidemarkv1.ItemState) []*tidemarkv1.QueueItem {
	many := make([]*tidemarkv1.QueueItem, n)
	for i := range many {
		many[i] = &tidemarkv1.QueueItem{Service: fmt.Sprintf("prod/s%d", i), State: state}
	}

	return many
}

// slowPages lets one page of items after the other take so long.
func slowPages(server *tidemarktest.Server, times ...time.Duration) {
	server.FailWith(func(method string) error {
		if method == "ListQueueItems" {
			<-time.After(times[0])
			times = times[1:]
		}

		return nil
	})
}

// The timeout is about each page: many that are slow are listed all the same, and seen as they come.
func TestQueueListOfManySlowPages(t *testing.T) {
	t.Parallel()

	const (
		items    = 2*listPage + 1
		pageTime = 6 * time.Second // two of them are more than the timeout
	)

	for _, verb := range []string{"list", "failed"} {
		for _, format := range []struct {
			name   string
			titles int
			flags  []string
		}{{"a table", 1, nil}, {"JSON", 0, []string{"--json"}}} {
			t.Run(verb+" as "+format.name, func(t *testing.T) {
				t.Parallel()

				synctest.Test(t, func(t *testing.T) {
					server := newServer(t)
					server.SetQueueItems(manyItems(items, tidemarkv1.ItemState_ITEM_STATE_FAILED)...)
					slowPages(server, pageTime, pageTime, pageTime)

					var line queueLine

					done := make(chan error, 1)

					go func() {
						done <- line.run(t.Context(), server, append([]string{verb, "--limit=0"}, format.flags...)...)
					}()

					for _, lines := range []int{format.titles + listPage, listPage, 1} {
						<-time.After(pageTime)
						synctest.Wait()
						require.Equal(t, lines, strings.Count(line.out.taken(), "\n"))
					}

					require.NoError(t, <-done)
					require.Empty(t, line.errOut.taken())
				})
			})
		}
	}
}

// A page that does not come ends the list, which says that it is not complete.
func TestQueueListThatEndsEarly(t *testing.T) {
	t.Parallel()

	const tooLong = 11 * time.Second

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.SetQueueItems(manyItems(2*listPage, tidemarkv1.ItemState_ITEM_STATE_WAITING)...)

		var line queueLine

		slowPages(server, 0, tooLong)
		require.EqualError(t, line.run(t.Context(), server, "list", "--limit=0"),
			"the list ends early, after 1000 items: passthrough:///tidemarktest did not answer in time")
		require.Equal(t, 1+listPage, strings.Count(line.out.taken(), "\n"))

		slowPages(server, 0, tooLong)
		require.ErrorContains(t, line.run(t.Context(), server, "list", "--limit=0", "--json"), "after 1000 items")
		require.Equal(t, listPage, strings.Count(line.out.taken(), "\n"))

		slowPages(server, tooLong)
		require.EqualError(t, line.run(t.Context(), server, "list"), "passthrough:///tidemarktest did not answer in time")
		require.Empty(t, line.out.taken(), "no titles of nothing")

		slowPages(server, 2*time.Second)
		require.Error(t, line.run(t.Context(), server, "list", "--timeout=1s"))
	})
}

// Items are due when the text says, to the nearest of its units.
func TestDueText(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	for wait, want := range map[time.Duration]string{
		300 * time.Millisecond:                 "in 0s",
		900 * time.Millisecond:                 "in 1s",
		119 * time.Second:                      "in 119s",
		119*time.Second + 900*time.Millisecond: "in 2m",
		4*time.Minute + 59*time.Second:         "in 5m",
		4*time.Minute + 29*time.Second:         "in 4m",
		119*time.Minute + 31*time.Second:       "in 2h",
		2*time.Hour + 40*time.Minute:           "in 3h",
		60 * time.Hour:                         "in 3d",
		0:                                      "0s ago",
		-(4*time.Minute + 59*time.Second):      "4m ago",
	} {
		require.Equal(t, want, dueText(&tidemarkv1.QueueItem{DueTime: timestamppb.New(now.Add(wait))}, now), wait)
	}

	require.Equal(t, "-", dueText(&tidemarkv1.QueueItem{}, now))
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
