package queue_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// none is what Get returns when there is nothing.
var none queue.Lease

// newQueue returns a queue with full backoff, that is without jitter.
func newQueue(tb testing.TB, change ...func(*queue.Config)) *queue.Queue {
	tb.Helper()

	cfg := queue.Default()
	cfg.Rand = func(n int64) int64 { return n - 1 }

	for _, c := range change {
		c(&cfg)
	}

	q, err := queue.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(q.Close)

	return q
}

func enqueue(tb testing.TB, q *queue.Queue, service string, trigger queue.Trigger) queue.Result {
	tb.Helper()

	result, err := q.Enqueue(&queue.Request{Service: service, Trigger: trigger, Source: "test"})
	if err != nil {
		tb.Fatalf("Enqueue(%s, %v): %v", service, trigger, err)
	}

	return result
}

// take gets the next item, which must be ready.
func take(tb testing.TB, q *queue.Queue) queue.Lease {
	tb.Helper()

	lease := q.TryGet()
	if lease == none {
		tb.Fatal("nothing to get")
	}

	return lease
}

// takeAll gets all that is ready.
func takeAll(tb testing.TB, q *queue.Queue) []queue.Lease {
	tb.Helper()

	var leases []queue.Lease
	for lease := q.TryGet(); lease != none; lease = q.TryGet() {
		leases = append(leases, lease)
	}

	return leases
}

// takeNamed takes the next item, which must be the named one.
func takeNamed(tb testing.TB, q *queue.Queue, service string) queue.Lease {
	tb.Helper()

	lease := take(tb, q)
	if lease.Service() != service {
		tb.Fatalf("got %s, want %s", lease.Service(), service)
	}

	return lease
}

// nothing checks that no item is ready.
func nothing(tb testing.TB, q *queue.Queue) {
	tb.Helper()

	if lease := q.TryGet(); lease != none {
		tb.Fatalf("got %s, want nothing", lease.Service())
	}
}

// pass lets time go by and what is due then happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		if r := enqueue(t, q, "a/x", queue.Periodic); r.Outcome != queue.Queued {
			t.Fatal(r)
		}

		if r := enqueue(t, q, "a/x", queue.Periodic); r.Outcome != queue.Merged {
			t.Fatal(r)
		}

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.MovedUp {
			t.Fatal(r)
		}

		enqueue(t, q, "b/y", queue.Manual)

		lease := takeNamed(t, q, "a/x")
		if n := len(lease.Triggers()); n != 2 {
			t.Fatal(n)
		}

		if r := enqueue(t, q, "a/x", queue.Periodic); r.Outcome != queue.Queued {
			t.Fatal(r)
		}

		takeNamed(t, q, "b/y").Succeed()
		nothing(t, q)
		lease.Succeed()
		takeNamed(t, q, "a/x").Succeed()

		if d := q.Depth(); d != (queue.Depth{}) {
			t.Fatal(d)
		}
	})
}

func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)

		wait := time.Second
		for range 5 {
			again, gaveUp := take(t, q).Retry(errors.New("no"))
			if gaveUp || time.Until(again) != wait {
				t.Fatal(gaveUp, time.Until(again))
			}

			nothing(t, q)
			pass(wait)
			wait *= 2
		}

		if _, gaveUp := take(t, q).Retry(errors.New("no")); !gaveUp {
			t.Fatal("not given up")
		}

		if it, _ := q.Item("a/x"); it.State != queue.Failed || it.LastError != "no" || it.Attempts != 6 {
			t.Fatal(it)
		}
	})
}
