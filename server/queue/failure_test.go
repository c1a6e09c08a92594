package queue_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/tidemark-project/tidemark/server/queue"
)

// failing returns a queue whose only item, a/x, has failed so often, and is ready for its next run unless it has Failed.
func failing(t *testing.T, failures int) *queue.Queue {
	t.Helper()

	q := newQueue(t)
	enqueue(t, q, "a/x", queue.Signal)

	for range failures {
		again, gaveUp := take(t, q).Retry(errTrouble)
		if !gaveUp {
			pass(time.Until(again))
		}
	}

	return q
}

// item returns a/x.
func item(t *testing.T, q *queue.Queue) queue.Item {
	t.Helper()

	it, ok := q.Item("a/x")
	if !ok {
		t.Fatal("no item")
	}

	return it
}

func TestBackoffDoublesUpToTheCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, func(cfg *queue.Config) {
			cfg.BackoffLimit = 100
			cfg.Backoff.Cap = 10 * time.Second
		})
		enqueue(t, q, "a/x", queue.Signal)

		for _, want := range []int{1, 2, 4, 8, 10, 10, 10} {
			again, _ := take(t, q).Retry(errTrouble)
			if got := time.Until(again); got.Seconds() != float64(want) {
				t.Fatalf("backoff is %v, want %d s", got, want)
			}

			if it := item(t, q); it.State != queue.BackingOff || !it.Due.Equal(again) {
				t.Fatalf("%+v, want backing off until %v", it, again)
			}

			pass(time.Until(again) - 1)
			nothing(t, q)
			pass(1)
		}
	})
}

func TestBackoffHasFullJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jitter := int64(0)
		q := newQueue(t, func(cfg *queue.Config) { cfg.Rand = func(int64) int64 { return jitter } })
		enqueue(t, q, "a/x", queue.Signal)

		if again, _ := take(t, q).Retry(errTrouble); time.Until(again) != 1 {
			t.Fatalf("least backoff is %v, want a nanosecond", time.Until(again))
		}

		pass(1)

		jitter = int64(time.Second)
		if again, _ := take(t, q).Retry(errTrouble); time.Until(again) != time.Second+1 {
			t.Fatalf("backoff is %v, want what was drawn", time.Until(again))
		}
	})
}

func TestSuccessForgetsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 3)
		take(t, q).Succeed()

		if _, ok := q.Item("a/x"); ok {
			t.Fatal("the item is still there")
		}

		enqueue(t, q, "a/x", queue.Signal)

		if lease := take(t, q); lease.Attempts() != 0 {
			t.Fatalf("%d attempts, want none", lease.Attempts())
		}
	})
}

func TestReleaseIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 2)
		before := item(t, q)
		take(t, q).Release()

		if after := item(t, q); !sameItem(after, before) {
			t.Fatalf("%+v, want as before: %+v", after, before)
		}
	})
}

func TestGivesUpAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, queue.Default().BackoffLimit)

		it := item(t, q)
		if it.State != queue.Failed || it.Attempts != 6 || it.LastError != errTrouble.Error() || !it.Due.IsZero() ||
			len(it.Triggers) != 1 {
			t.Fatalf("%+v, want failed", it)
		}

		pass(24 * time.Hour)
		nothing(t, q)

		if stats := q.Stats(); stats.GaveUp != 1 || stats.Retried != 6 || stats.Depth.Failed != 1 {
			t.Fatalf("%+v", stats)
		}
	})
}

func TestPermanentFailureIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q).Fail(errTrouble)

		if it := item(t, q); it.State != queue.Failed || it.Attempts != 1 {
			t.Fatalf("%+v, want failed", it)
		}

		pass(24 * time.Hour)
		nothing(t, q)
	})
}

func TestManualJumpsTheBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q).Retry(errTrouble)

		if r := enqueue(t, q, "a/x", queue.Manual); r.Outcome != queue.MovedUp || r.Attempts != 1 {
			t.Fatalf("%+v, want moved up", r)
		}

		lease := take(t, q)
		if lease.Attempts() != 1 || lease.Periodic() || len(lease.Triggers()) != 2 {
			t.Fatalf("%d attempts, triggers %+v", lease.Attempts(), lease.Triggers())
		}

		lease.Succeed()
		pass(time.Hour)
		nothing(t, q)

		if jumped := q.Stats().Jumped; jumped != 1 {
			t.Fatalf("%d jumps counted, want 1", jumped)
		}
	})
}

func TestManualDuringARunJumpsItsBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Manual)
		lease.Retry(errTrouble)
		take(t, q)

		if jumped := q.Stats().Jumped; jumped != 1 {
			t.Fatalf("%d jumps counted, want 1", jumped)
		}
	})
}

func TestAutomaticDuringARunWaitsForItsBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Periodic)
		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Signal)
		lease.Retry(errTrouble)
		nothing(t, q)
		pass(time.Second)

		if lease := take(t, q); len(lease.Triggers()) != 2 {
			t.Fatalf("triggers %+v, want both", lease.Triggers())
		}
	})
}

func TestManualMakesANewStartOfAFailedItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 6)

		if r := enqueue(t, q, "a/x", queue.Manual); r.Outcome != queue.Queued || r.Attempts != 0 {
			t.Fatalf("%+v, want queued without failures", r)
		}

		lease := take(t, q)
		if lease.Attempts() != 0 {
			t.Fatalf("%d attempts, want none", lease.Attempts())
		}

		if again, gaveUp := lease.Retry(errTrouble); gaveUp || time.Until(again) != time.Second {
			t.Fatalf("again after %v, gave up: %v", time.Until(again), gaveUp)
		}
	})
}

// However many automatic triggers come, a Failed item runs once per cap, and it does run.
func TestFailedItemIsProbedOncePerCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 6)
		limit := queue.Default().Backoff.Cap
		runs := 0

		for range 10 * int(limit/time.Second) {
			enqueue(t, q, "a/x", queue.Signal)

			if lease := q.TryGet(); lease != none {
				runs++

				if _, gaveUp := lease.Retry(errTrouble); !gaveUp {
					t.Fatal("the probe was retried")
				}
			}

			pass(time.Second)
		}

		if runs < 9 || runs > 10 {
			t.Fatalf("%d probes, want one per %v", runs, limit)
		}
	})
}

func TestFailedItemStaysListedUntilItsProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 6)
		probe := time.Now().Add(queue.Default().Backoff.Cap)

		for range 2 {
			r := enqueue(t, q, "a/x", queue.Periodic)
			if r.Outcome != queue.Deferred || !r.Due.Equal(probe) {
				t.Fatalf("%+v, want deferred until %v", r, probe)
			}
		}

		if it := item(t, q); it.State != queue.Failed || !it.Due.Equal(probe) {
			t.Fatalf("%+v, want failed with a probe at %v", it, probe)
		}

		pass(time.Until(probe))
		take(t, q).Succeed()

		if d := q.Depth(); d != (queue.Depth{}) {
			t.Fatalf("%+v, want nothing", d)
		}
	})
}

func TestProbeAtOnceAfterTheCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 6)
		pass(queue.Default().Backoff.Cap)

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.Queued {
			t.Fatalf("%+v, want queued", r)
		}

		if _, gaveUp := take(t, q).Retry(errTrouble); !gaveUp {
			t.Fatal("the probe was retried")
		}
	})
}

// What came during the run that was the last one is not lost.
func TestTriggerDuringTheLastRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 5)
		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Signal)
		lease.Retry(errTrouble)
		nothing(t, q)
		pass(queue.Default().Backoff.Cap)
		take(t, q)
	})
}

// A lease goes on saying what it was handed out with, as long as it is open. After that it says nothing, and above all not
// what another lease was handed out with that uses the same memory.
func TestLeaseDoesNotChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for _, trigger := range queue.Triggers() {
			enqueue(t, q, "a/x", trigger)
		}

		lease := take(t, q)
		before := lease.Triggers()

		for _, trigger := range queue.Triggers() {
			enqueue(t, q, "a/x", trigger)
		}

		if after := lease.Triggers(); len(before) != 3 || !sameRecords(after, before) {
			t.Fatalf("%+v, want %+v", after, before)
		}

		lease.Release()

		if it := item(t, q); it.Triggers[2].Count != 2 {
			t.Fatalf("%+v, want all counted", it.Triggers)
		}

		q.Forget("a/x")
		enqueue(t, q, "b/y", queue.Periodic)

		other := takeNamed(t, q, "b/y")
		lease.OnRevoke(func() { t.Error("another's evaluation was revoked") })
		q.Forget("b/y")

		if lease.Service() != "a/x" || len(lease.Triggers()) != 0 || lease.Periodic() || lease.Revoked() ||
			!lease.Enqueued().IsZero() {
			t.Fatalf("%+v says %+v", lease, lease.Triggers())
		}

		if !other.Revoked() || !other.Periodic() {
			t.Fatalf("%+v: %+v, want it open", other, other.Triggers())
		}
	})
}

func TestLongErrorsAreCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q).Fail(longError{})

		// 1024 bytes end in the middle of a character.
		if text := item(t, q).LastError; len(text) != 1023 || !utf8.ValidString(text) {
			t.Fatalf("%d bytes kept of the error, want 1023 that are valid", len(text))
		}
	})
}

type longError struct{}

func (longError) Error() string { return "x" + strings.Repeat("é", 1<<20) }
