package queue_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// restore takes in a/x with what is known of its failures.
func restore(t *testing.T, q *queue.Queue, past queue.Past) {
	t.Helper()

	r := queue.Request{Service: "a/x", Trigger: queue.Periodic, Source: "cron", Revision: 7}
	if err := q.Restore(&r, past); err != nil {
		t.Fatal(err)
	}
}

func TestRestoreBackingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		again := time.Now().Add(time.Minute)
		restore(t, q, queue.Past{Attempts: 3, LastError: "before", Again: again})

		it := item(t, q)
		if it.State != queue.BackingOff || it.Attempts != 3 || it.LastError != "before" || !it.Due.Equal(again) ||
			it.Revision != 7 || len(it.Triggers) != 1 {
			t.Fatalf("%+v, want backing off until %v", it, again)
		}

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.Deferred {
			t.Fatalf("%+v, want deferred", r)
		}

		lease := getAfter(t, q, time.Minute)
		if again, _ := lease.Retry(errTrouble); lease.Attempts() != 3 || time.Until(again) != 8*time.Second {
			t.Fatalf("%d attempts, again after %v; want the fourth failure", lease.Attempts(), time.Until(again))
		}
	})
}

// What became due between the two queues is due at once.
func TestRestoreOverdue(t *testing.T) {
	for name, again := range map[string]func() time.Time{
		"past":       func() time.Time { return time.Now().Add(-time.Hour) },
		"never said": func() time.Time { return time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t)
				restore(t, q, queue.Past{Attempts: 3, Again: again()})

				if lease := getAfter(t, q, 0); lease.Attempts() != 3 {
					t.Fatalf("%d attempts, want 3", lease.Attempts())
				}
			})
		})
	}
}

func TestRestoreFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		restore(t, q, queue.Past{Attempts: 6, LastError: "before", GaveUp: true})

		if it := item(t, q); it.State != queue.Failed || it.Attempts != 6 || it.LastError != "before" || !it.Due.IsZero() {
			t.Fatalf("%+v, want failed", it)
		}

		pass(24 * time.Hour)
		nothing(t, q)

		if _, exists := q.RetryNow("a/x"); !exists {
			t.Fatal("no item")
		}

		take(t, q).Succeed()
	})
}

func TestRestoreOfNoFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		restore(t, q, queue.Past{Again: time.Now().Add(time.Hour), GaveUp: true})

		if lease := take(t, q); lease.Attempts() != 0 || lease.Revision() != 7 {
			t.Fatalf("%d attempts, revision %d", lease.Attempts(), lease.Revision())
		}
	})
}

// What runs is not touched by what is known from before.
func TestRestoreOfWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		lease := take(t, q)
		restore(t, q, queue.Past{Attempts: 6, GaveUp: true})

		if it := item(t, q); it.State != queue.Running || it.Attempts != 0 {
			t.Fatalf("%+v, want running", it)
		}

		lease.Succeed()
		take(t, q).Succeed()
	})
}

func TestRestoreIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		q.Close()

		err := q.Restore(&queue.Request{Service: "a/x"}, queue.Past{Attempts: 1})
		if !errors.Is(err, queue.ErrShuttingDown) {
			t.Fatalf("Restore: %v, want %v", err, queue.ErrShuttingDown)
		}
	})
}

// What was accepted once is not lost because somebody has ordered a pause or made the queue smaller meanwhile.
func TestRestoreFindsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, func(cfg *queue.Config) { cfg.MaxItems = 1 })
		enqueue(t, q, "a/first", queue.Signal)
		pause(t, q, queue.Accepting, 0)
		restore(t, q, queue.Past{})

		if d := q.Depth(); d.Waiting != 2 {
			t.Fatalf("%+v, want both waiting", d)
		}
	})
}

// takeOver has a queue take in what another one leaves.
func takeOver(t *testing.T, old, next *queue.Queue) []queue.Item {
	t.Helper()

	left := old.Drain(t.Context())
	for _, it := range left {
		first := it.Triggers[0]
		request := queue.Request{
			Service: it.Service, Trigger: first.Trigger, Source: first.Source, Observed: first.Observed,
		}

		if err := next.Restore(&request, it.Past()); err != nil {
			t.Fatal(err)
		}
	}

	return left
}

// All that one queue leaves is taken over by the next as it was.
func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, next := newQueue(t), newQueue(t)

		for _, c := range []struct {
			service string
			end     func(queue.Lease)
		}{
			{"a/waiting", queue.Lease.Release},
			{"a/backing-off", func(l queue.Lease) { l.Retry(errTrouble) }},
			{"a/failed", func(l queue.Lease) { l.Fail(errTrouble) }},
			{"a/probe-planned", func(l queue.Lease) { l.Fail(errTrouble) }},
		} {
			enqueue(t, old, c.service, queue.Signal)
			pass(time.Millisecond)
			c.end(takeNamed(t, old, c.service))
			old.Postpone("a/waiting", time.Now())
		}

		enqueue(t, old, "a/probe-planned", queue.Signal)

		for _, want := range takeOver(t, old, next) {
			got, ok := next.Item(want.Service)
			if !ok || got.State != want.State || got.Attempts != want.Attempts || got.LastError != want.LastError ||
				got.State != queue.Waiting && !got.Due.Equal(want.Due) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}

		getAfter(t, next, 0).Succeed()
		pass(queue.Default().Backoff.Cap)

		if n := len(takeAll(t, next)); n != 2 {
			t.Errorf("%d tried again, want what backs off and the probe that was promised", n)
		}
	})
}

// What has failed before and is ready again is ready for the next queue too, whenever it is due.
func TestTakeOverOfWhatIsReadyAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, next := newQueue(t), newQueue(t)

		enqueue(t, old, "a/x", queue.Periodic)
		take(t, old).Retry(errTrouble)
		pass(time.Minute)
		takeOver(t, old, next)

		if lease := getAfter(t, next, 0); lease.Attempts() != 1 {
			t.Fatalf("%d attempts, want 1", lease.Attempts())
		}
	})
}
