package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// The tests of this file are the faults of the base queue, each with its circumstances as they were measured, and show that
// this one has none of them. There is one for each row of "Pitfalls, reproduced" in reference/queue.md §1, in its order.

var errTrouble = errors.New("trouble")

// A delayed add (300 ms), then an immediate add of the same key: it was processed twice.
func TestPitfallDelayedThenImmediateAdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		q.Postpone("a/x", time.Now().Add(300*time.Millisecond))
		nothing(t, q)

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.MovedUp {
			t.Fatalf("outcome %v, want moved up", r.Outcome)
		}

		take(t, q).Succeed()
		pass(time.Hour)
		nothing(t, q)
	})
}

// A delayed add of 100 ms, then one of 600 ms: it ran after 100 ms, and the later wish was lost.
func TestPitfallPostponing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		q.Postpone("a/x", time.Now().Add(100*time.Millisecond))
		q.Postpone("a/x", time.Now().Add(600*time.Millisecond))

		pass(599 * time.Millisecond)
		nothing(t, q)
		pass(time.Millisecond)
		take(t, q).Succeed()
	})
}

// Six adds while one waits: they counted as six failures, and the next backoff was 3.2 s.
func TestPitfallAddsAreNotFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q).Retry(errTrouble)

		for range 6 {
			enqueue(t, q, "a/x", queue.Signal)
		}

		if it, _ := q.Item("a/x"); it.Attempts != 1 {
			t.Fatalf("%d attempts, want 1", it.Attempts)
		}

		pass(time.Second)

		if again, _ := take(t, q).Retry(errTrouble); time.Until(again) != 2*time.Second {
			t.Fatalf("second backoff is %v, want 2s", time.Until(again))
		}
	})
}

// A plain add of a key that backs off: it was handed out after 0 ms.
func TestPitfallAddDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		again, _ := take(t, q).Retry(errTrouble)

		for _, trigger := range []queue.Trigger{queue.Signal, queue.Periodic} {
			r := enqueue(t, q, "a/x", trigger)
			if r.Outcome != queue.Deferred || !r.Due.Equal(again) || r.Attempts != 1 {
				t.Fatalf("%v: %+v, want deferred until %v", trigger, r, again)
			}
		}

		nothing(t, q)
		pass(time.Until(again))

		if lease := take(t, q); lease.Attempts() != 1 {
			t.Fatalf("%d attempts, want 1", lease.Attempts())
		}
	})
}

// A drain with five queued and none in flight: it returned with the five still queued, and they were lost.
func TestPitfallDrainWithQueuedItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		for i := range 5 {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		if left := q.Drain(t.Context()); len(left) != 5 {
			t.Fatalf("%d items left, want 5", len(left))
		}
	})
}

// A drain while one key runs that was added again: it returned at the end of the run, and the second was lost.
func TestPitfallDrainWithDirtyKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Manual)

		time.AfterFunc(time.Second, lease.Succeed)

		start := time.Now()
		left := q.Drain(t.Context())

		if time.Since(start) != time.Second {
			t.Fatalf("drained after %v, want 1s", time.Since(start))
		}

		if len(left) != 1 || left[0].State != queue.Waiting || left[0].Triggers[0].Trigger != queue.Manual {
			t.Fatalf("left %+v, want the second run", left)
		}
	})
}

// Two callers that drain together: one of them only ever returned.
func TestPitfallTwoDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		enqueue(t, q, "a/y", queue.Signal)

		lease := take(t, q)

		var drains sync.WaitGroup
		for range 2 {
			drains.Go(func() {
				if left := q.Drain(t.Context()); len(left) != 1 {
					t.Errorf("%d items left, want 1", len(left))
				}
			})
		}

		synctest.Wait()
		lease.Succeed()
		drains.Wait()
	})
}

// A completion of a key that was not taken: the key was handed to two workers at once.
func TestPitfallStrayCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		stray := take(t, q)
		stray.Succeed()

		enqueue(t, q, "a/x", queue.Signal)
		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Signal)

		stray.Succeed()
		stray.Release()
		stray.Fail(errTrouble)

		if again, gaveUp := stray.Retry(errTrouble); !again.IsZero() || gaveUp {
			t.Fatalf("stray Retry = %v, %v", again, gaveUp)
		}

		nothing(t, q)
		lease.Succeed()
		take(t, q).Succeed()
		nothing(t, q)

		if stray := q.Stats().Stray; stray != 4 {
			t.Fatalf("%d stray completions counted, want 4", stray)
		}
	})
}

// 3000 keys that fail together: the last was tried again after almost five minutes.
func TestPitfallManyFailOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys = 3000

		q := newQueue(t, func(cfg *queue.Config) { cfg.Rand = rand.Int64N })
		for i := range keys {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		start := time.Now()
		again := make(map[time.Time]bool, keys)

		for range keys {
			at, _ := take(t, q).Retry(errTrouble)
			again[at] = true

			if delay := at.Sub(start); delay <= 0 || delay > time.Second {
				t.Fatalf("first retry after %v, want a second at most", delay)
			}
		}

		if len(again) < keys*99/100 {
			t.Fatalf("only %d of %d retries at different times", len(again), keys)
		}

		pass(time.Second)

		if d := q.Depth(); d.Waiting != keys {
			t.Fatalf("%+v, want all waiting", d)
		}
	})
}

// One key that fails and is forgotten 110 times: its delay grew all the same.
func TestPitfallFailAndForgetOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for range 110 {
			enqueue(t, q, "a/x", queue.Signal)

			if again, _ := take(t, q).Retry(errTrouble); time.Until(again) != time.Second {
				t.Fatalf("backoff is %v, want 1s", time.Until(again))
			}

			q.Forget("a/x")
		}
	})
}

// A duplicate add: it took 0.11 µs, which only what allocates nothing can match.
func TestPitfallDuplicateAdd(t *testing.T) {
	q := newQueue(t)
	r := queue.Request{Service: "a/x", Trigger: queue.Signal, Source: "test", Detail: "memory", Observed: time.Now()}

	allocations := testing.AllocsPerRun(100, func() {
		if _, err := q.Enqueue(&r); err != nil {
			t.Fatal(err)
		}
	})

	if allocations != 0 {
		t.Fatalf("a duplicate add allocates %v times, want never", allocations)
	}
}

// Not in the table: an add after the end, which was ignored without a word.
func TestPitfallAddAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		q.Close()

		_, err := q.Enqueue(&queue.Request{Service: "a/x"})

		var refused *queue.RefusedError
		if !errors.As(err, &refused) || !errors.Is(err, queue.ErrShuttingDown) || refused.RetryAfter <= 0 {
			t.Fatalf("Enqueue: %v, want a refusal with a delay", err)
		}

		if _, err := q.Get(context.Background()); !errors.Is(err, queue.ErrShutDown) {
			t.Fatalf("Get: %v, want %v", err, queue.ErrShutDown)
		}
	})
}

func TestPostponingToThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		q.Postpone("a/x", time.Now())
		synctest.Wait()
		take(t, q).Succeed()
	})
}
