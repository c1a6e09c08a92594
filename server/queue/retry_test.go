package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestRetryNow(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*testing.T) *queue.Queue
		jumped  uint64
	}{
		"ready":       {ready, 0},
		"backing off": {backingOff, 1},
		"failed":      {gaveUp, 1},
		"postponed":   {postponed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := c.prepare(t)
				before := item(t, q)

				got, exists := q.RetryNow("a/x")
				if !exists || got.State != queue.Waiting || got.Attempts != 0 || got.LastError != "" ||
					got.Due.After(time.Now()) || !sameRecords(got.Triggers, before.Triggers) {
					t.Fatalf("RetryNow = %+v, %v; want it due without failures, for what it was wanted for", got, exists)
				}

				lease := take(t, q)
				if lease.Attempts() != 0 || !sameRecords(lease.Triggers(), before.Triggers) {
					t.Fatalf("%d attempts, triggers %+v", lease.Attempts(), lease.Triggers())
				}

				if again, gaveUp := lease.Retry(errTrouble); gaveUp || time.Until(again) != time.Second {
					t.Fatalf("again after %v, gave up: %v; want a new start", time.Until(again), gaveUp)
				}

				if jumped := q.Stats().Jumped; jumped != c.jumped {
					t.Fatalf("%d jumps counted, want %d", jumped, c.jumped)
				}
			})
		})
	}
}

func postponed(t *testing.T) *queue.Queue {
	t.Helper()

	q := newQueue(t)
	enqueue(t, q, "a/x", queue.Periodic)
	q.Postpone("a/x", time.Now().Add(time.Hour))

	return q
}

func TestRetryNowOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		if it, exists := q.RetryNow("a/x"); exists {
			t.Fatalf("%+v, want nothing", it)
		}
	})
}

// What runs is left alone: its attempts may yet be what they were for.
func TestRetryNowDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 3)
		lease := take(t, q)

		if it, exists := q.RetryNow("a/x"); !exists || it.State != queue.Running || it.Attempts != 3 {
			t.Fatalf("%+v, %v; want it running as before", it, exists)
		}

		nothing(t, q)
		lease.Succeed()

		if d := q.Depth(); d != (queue.Depth{}) {
			t.Fatalf("%+v, want nothing", d)
		}
	})
}

// After the end the item stays as it is for whoever takes it over.
func TestRetryNowAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := gaveUp(t)
		before := item(t, q)

		q.Close()

		if it, exists := q.RetryNow("a/x"); !exists || !sameItem(it, before) {
			t.Fatalf("%+v, want as before: %+v", it, before)
		}
	})
}

// A retry is a wish, not a way around a pause.
func TestRetryNowWaitsAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := gaveUp(t)
		pause(t, q, queue.Evaluating, time.Minute)
		pause(t, q, queue.Accepting, time.Minute)

		if _, exists := q.RetryNow("a/x"); !exists {
			t.Fatal("no item")
		}

		getAfter(t, q, time.Minute)
	})
}
