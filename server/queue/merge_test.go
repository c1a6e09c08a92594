package queue_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestMergedTriggers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		start := time.Now()

		send := func(trigger queue.Trigger, source, detail string, observed time.Duration, revision int64) {
			_, err := q.Enqueue(&queue.Request{
				Service: "a/x", Trigger: trigger, Source: source, Detail: detail,
				Observed: start.Add(observed), Revision: revision,
			})
			if err != nil {
				t.Fatal(err)
			}

			pass(time.Second)
		}

		send(queue.Signal, "clickhouse", "memory_rejections=1", -time.Second, 7)
		send(queue.Signal, "clickhouse", "memory_rejections=2", -2*time.Second, 9)
		send(queue.Periodic, "cron", "", 0, 8)
		send(queue.Signal, "clickhouse", "", time.Second, 3)

		want := []queue.Record{{
			Trigger: queue.Signal, Source: "clickhouse", Detail: "memory_rejections=2",
			Observed: start.Add(-2 * time.Second), Enqueued: start, Count: 3,
		}, {
			Trigger: queue.Periodic, Source: "cron", Observed: start, Enqueued: start.Add(2 * time.Second), Count: 1,
		}}

		lease := take(t, q)
		if !sameRecords(lease.Triggers(), want) || !lease.Enqueued().Equal(start) || lease.Revision() != 9 {
			t.Fatalf("%+v since %v, revision %d", lease.Triggers(), lease.Enqueued(), lease.Revision())
		}

		if !lease.Periodic() {
			t.Fatal("the sweep is lost among the signals")
		}
	})
}

func TestObservedDefaultsToNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Periodic)

		lease := take(t, q)
		if r := lease.Triggers()[0]; !r.Observed.Equal(time.Now()) || !lease.Periodic() {
			t.Fatalf("%+v, want observed now by the sweep", r)
		}
	})
}

// However many sources there are, an item keeps eight records, all of the counts and each of the triggers.
func TestRecordsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for i := range 20 {
			for range 2 {
				request := queue.Request{Service: "a/x", Trigger: queue.Periodic, Source: fmt.Sprintf("cron-%d", i)}
				if _, err := q.Enqueue(&request); err != nil {
					t.Fatal(err)
				}
			}
		}

		for _, trigger := range []queue.Trigger{queue.Signal, queue.Manual} {
			enqueue(t, q, "a/x", trigger)
		}

		lease := take(t, q)
		records, count, kinds := lease.Triggers(), 0, make(map[queue.Trigger]bool)

		for _, r := range records {
			count += r.Count
			kinds[r.Trigger] = true
		}

		if len(records) != 8 || count != 42 || len(kinds) != 3 {
			t.Fatalf("%d records with a count of %d and %d triggers: %+v", len(records), count, len(kinds), records)
		}
	})
}

func TestTriggersDuringARunAreForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		lease := take(t, q)

		outcomes := []queue.Outcome{
			enqueue(t, q, "a/x", queue.Periodic).Outcome,
			enqueue(t, q, "a/x", queue.Periodic).Outcome,
			enqueue(t, q, "a/x", queue.Manual).Outcome,
		}
		if want := []queue.Outcome{queue.Queued, queue.Merged, queue.MovedUp}; !slices.Equal(outcomes, want) {
			t.Fatalf("outcomes %v, want %v", outcomes, want)
		}

		if it := item(t, q); it.State != queue.Running || len(it.Triggers) != 3 || !it.Started.Equal(time.Now()) {
			t.Fatalf("%+v, want running with all triggers", it)
		}

		nothing(t, q)
		lease.Succeed()

		if next := take(t, q); len(next.Triggers()) != 2 {
			t.Fatalf("%+v, want what came since", next.Triggers())
		}
	})
}

// Who asks while an item runs moves it up when that is more urgent than what it runs for.
func TestMovedUpDuringARun(t *testing.T) {
	for _, row := range []struct {
		runs, asks queue.Trigger
		want       queue.Outcome
	}{
		{queue.Periodic, queue.Signal, queue.MovedUp},
		{queue.Periodic, queue.Manual, queue.MovedUp},
		{queue.Manual, queue.Signal, queue.MovedUp},
		{queue.Periodic, queue.Periodic, queue.Queued},
		{queue.Signal, queue.Signal, queue.Queued},
		{queue.Signal, queue.Periodic, queue.Queued},
	} {
		t.Run(fmt.Sprintf("%v during %v", row.asks, row.runs), func(t *testing.T) {
			q := newQueue(t)
			enqueue(t, q, "a/x", row.runs)
			lease := take(t, q)

			if got := enqueue(t, q, "a/x", row.asks).Outcome; got != row.want {
				t.Errorf("outcome is %v, want %v", got, row.want)
			}

			lease.Succeed()

			if next := take(t, q); next.Triggers()[0].Trigger != row.asks {
				t.Errorf("runs again for %+v, want %v", next.Triggers(), row.asks)
			}
		})
	}
}

// Each trigger's wait counts from its own first request: a signal that comes to what the sweep has wanted for long has not
// waited for long.
func TestEachTriggerWaitsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Periodic)
		pass(8 * time.Second)
		enqueue(t, q, "a/x", queue.Signal)
		pass(time.Second)
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q)

		waits := make(map[queue.Trigger]float64)
		for _, of := range q.Stats().Triggers {
			if of.Wait.Count > 0 {
				waits[of.Trigger] = of.Wait.Sum
			}
		}

		if want := map[queue.Trigger]float64{queue.Periodic: 9, queue.Signal: 1}; !maps.Equal(waits, want) {
			t.Errorf("waits are %v s, want %v", waits, want)
		}
	})
}
