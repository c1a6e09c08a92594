package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server/store"
)

var watchTests = map[string]func(*testing.T, store.Store){
	"a watch after a load misses nothing and repeats nothing": testLoadThenWatch,
	"changes come in the order of revisions":                  testWatchOrder,
	"a watch waits for changes to come":                       testWatchLive,
	"every watcher sees every change":                         testManyWatchers,
	"a watch can be left at any event":                        testLeaveWatch,
	"a watch can be used twice":                               testWatchTwice,
}

// follow returns the first changes after a revision.
func follow(t *testing.T, st store.Store, after int64, count int) []store.Event {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	events := make([]store.Event, 0, count)

	for event, err := range st.Watch(ctx, after) {
		require.NoError(t, err)

		if events = append(events, event); len(events) == count {
			return events
		}
	}

	require.Fail(t, "the watch ended without an error")

	return nil
}

func testLoadThenWatch(t *testing.T, st store.Store) {
	t.Helper()

	put(t, st, "prod/a", 1)
	put(t, st, "prod/b", 1)
	remove(t, st, "prod/b")
	accept(t, st, wish("prod/c", periodic, "cron", noon))

	snapshot := load(t, st)
	require.Len(t, snapshot.Records, 1)

	want := put(t, st, "prod/c", 1)
	events := follow(t, st, snapshot.Revision, 1)
	require.Equal(t, "prod/c", events[0].Service)
	equalRecord(t, want, events[0].Record)

	last := put(t, st, "prod/c", 2)
	events = follow(t, st, want.Revision, 1)
	equalRecord(t, last, events[0].Record)
}

func testWatchOrder(t *testing.T, st store.Store) {
	t.Helper()

	var want []int64

	for i := range int64(50) {
		service := fmt.Sprintf("prod/s%d", i%7)

		want = append(want, put(t, st, service, i).Revision)
		if i%5 == 0 {
			want = append(want, remove(t, st, service))
		}
	}

	for from := range want {
		after := int64(0)
		if from > 0 {
			after = want[from-1]
		}

		for i, event := range follow(t, st, after, len(want)-from) {
			require.Equal(t, want[from+i], event.Revision)
		}
	}
}

func testWatchLive(t *testing.T, st store.Store) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	events := make(chan store.Event)

	var watching sync.WaitGroup

	watching.Go(func() {
		for event, err := range st.Watch(ctx, 0) {
			if err == nil {
				events <- event
			}
		}
	})

	for i := range int64(20) {
		want := put(t, st, "prod/a", i)
		equalRecord(t, want, (<-events).Record)
	}

	cancel()
	watching.Wait()
}

func testManyWatchers(t *testing.T, st store.Store) {
	t.Helper()

	const watchers, changes = 20, 50

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	var watching sync.WaitGroup

	seen := make([][]int64, watchers)
	for i := range watchers {
		watching.Go(func() {
			for event, err := range st.Watch(ctx, 0) {
				if err != nil {
					return
				}

				if seen[i] = append(seen[i], event.Revision); len(seen[i]) == changes {
					return
				}
			}
		})
	}

	want := make([]int64, changes)
	for i := range want {
		want[i] = put(t, st, fmt.Sprintf("prod/s%d", i%3), int64(i)).Revision
	}

	watching.Wait()

	for i := range watchers {
		require.Equal(t, want, seen[i])
	}
}

func testLeaveWatch(t *testing.T, st store.Store) {
	t.Helper()

	first, second := put(t, st, "prod/a", 1), put(t, st, "prod/a", 2)

	require.Equal(t, first.Revision, follow(t, st, 0, 1)[0].Revision)
	require.Equal(t, second.Revision, follow(t, st, first.Revision, 1)[0].Revision)
}

func testWatchTwice(t *testing.T, st store.Store) {
	t.Helper()

	put(t, st, "prod/a", 1)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	watch := st.Watch(ctx, 0)

	for range 2 {
		for event, err := range watch {
			require.NoError(t, err)
			require.Equal(t, "prod/a", event.Service)

			break
		}
	}

	cancel()

	for _, err := range watch {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}
