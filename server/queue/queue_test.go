package queue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// newQueue returns a queue with full backoff, that is without jitter.
func newQueue(t testing.TB, change ...func(*queue.Config)) *queue.Queue {
	t.Helper()

	cfg := queue.Default()
	cfg.Rand = func(n int64) int64 { return n - 1 }

	for _, c := range change {
		c(&cfg)
	}

	q, err := queue.New(cfg)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(q.Close)

	return q
}

func enqueue(t testing.TB, q *queue.Queue, service string, trigger queue.Trigger) queue.Result {
	t.Helper()

	result, err := q.Enqueue(queue.Request{Service: service, Trigger: trigger, Source: "test"})
	if err != nil {
		t.Fatalf("Enqueue(%s, %v): %v", service, trigger, err)
	}

	return result
}

// take gets the next item, which must be ready.
func take(t testing.TB, q *queue.Queue) *queue.Lease {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()

	lease, err := q.Get(ctx)
	if err != nil {
		t.Fatalf("nothing to get: %v", err)
	}

	return lease
}

// takeNamed takes the next item, which must be the named one.
func takeNamed(t testing.TB, q *queue.Queue, service string) *queue.Lease {
	t.Helper()

	lease := take(t, q)
	if lease.Service() != service {
		t.Fatalf("got %s, want %s", lease.Service(), service)
	}

	return lease
}

// nothing checks that no item is ready.
func nothing(t testing.TB, q *queue.Queue) {
	t.Helper()

	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()

	lease, err := q.Get(ctx)
	if err == nil {
		t.Fatalf("got %s, want nothing", lease.Service())
	}

	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
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
			time.Sleep(wait)
			synctest.Wait()
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
