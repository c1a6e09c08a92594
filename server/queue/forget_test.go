package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestForget(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T) *queue.Queue{
		"ready": ready, "backing off": backingOff, "failed": gaveUp, "absent": absent,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := prepare(t)
				q.Forget("a/x")

				if items := q.Items(); len(items) != 0 {
					t.Fatalf("%+v, want nothing", items)
				}

				pass(time.Hour)
				nothing(t, q)

				if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.Queued || r.Attempts != 0 {
					t.Fatalf("%+v, want queued as new", r)
				}
			})
		})
	}
}

func ready(t *testing.T) *queue.Queue {
	t.Helper()

	return failing(t, 2)
}

func gaveUp(t *testing.T) *queue.Queue {
	t.Helper()

	return failing(t, queue.Default().BackoffLimit)
}

func absent(t *testing.T) *queue.Queue {
	t.Helper()

	return newQueue(t)
}

func backingOff(t *testing.T) *queue.Queue {
	t.Helper()

	q := newQueue(t)
	enqueue(t, q, "a/x", queue.Signal)
	take(t, q).Retry(errTrouble)

	return q
}

// The worker of a service that is forgotten is told once, whenever it asks to be.
func TestForgetRevokes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 1)
		lease := take(t, q)
		told := 0

		lease.OnRevoke(func() { told++ })

		if lease.Revoked() || told != 0 {
			t.Fatal("revoked before it was forgotten")
		}

		if it, existed := q.Forget("a/x"); !existed || it.State != queue.Running || it.Attempts != 1 {
			t.Fatalf("Forget = %+v, %v; want what it was", it, existed)
		}

		q.Forget("a/x")

		if !lease.Revoked() || told != 1 {
			t.Fatalf("revoked: %v, told %d times", lease.Revoked(), told)
		}

		late := 0
		lease.OnRevoke(func() { late++ })
		lease.Succeed()

		if late != 1 {
			t.Fatalf("told %d times although it was forgotten before", late)
		}
	})
}

// What is completed is not revoked any more, and neither is the next evaluation of a service that was forgotten.
func TestForgetRevokesOnlyWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)

		completed := take(t, q)
		completed.OnRevoke(func() { t.Error("revoked after it was completed") })
		completed.Release()
		q.Forget("a/x")
		completed.OnRevoke(func() { t.Error("revoked after it was completed") })

		enqueue(t, q, "a/x", queue.Signal)

		first := take(t, q)
		q.Forget("a/x")
		enqueue(t, q, "a/x", queue.Signal)
		first.Release()

		next := take(t, q)
		next.OnRevoke(func() { t.Error("revoked for the sake of another") })

		if next.Revoked() {
			t.Fatal("revoked for the sake of another")
		}

		next.Succeed()
	})
}

// The failure of a run that was forgotten is not held against the service.
func TestForgetDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 3)
		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Signal)
		q.Forget("a/x")

		if again, gaveUp := lease.Retry(errTrouble); !again.IsZero() || gaveUp {
			t.Fatalf("Retry = %v, %v, want nothing", again, gaveUp)
		}

		if items := q.Items(); len(items) != 0 {
			t.Fatalf("%+v, want nothing", items)
		}
	})
}

func TestEnqueueAfterForgetDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 3)
		lease := take(t, q)
		q.Forget("a/x")

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.Queued || r.Attempts != 0 {
			t.Fatalf("%+v, want queued as new", r)
		}

		nothing(t, q)
		lease.Fail(errTrouble)

		if next := take(t, q); next.Attempts() != 0 {
			t.Fatalf("%d attempts, want none", next.Attempts())
		}
	})
}
