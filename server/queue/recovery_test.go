package queue_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// recovering returns a queue whose breaker has just begun to recover, with as many other items that wait.
func recovering(t *testing.T, items int, change ...func(*queue.Config)) *queue.Queue {
	t.Helper()

	q := dependent(t, change...)
	open(t, q)

	for _, it := range q.Items() {
		if it.State == queue.BackingOff {
			q.Forget(it.Service)
		}
	}

	for i := range items {
		enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
	}

	getAfter(t, q, firstProbe).Succeed()
	inState(t, q, queue.Recovering)

	return q
}

func TestRecoveryRateDoublesEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const items = 15_000

		q := recovering(t, items)
		start := time.Now()
		perSecond := make([]int, 11)

		for range items {
			lease, err := q.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			lease.Succeed()

			perSecond[time.Since(start)/time.Second]++
		}

		if want := []int{10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5121}; !slices.Equal(perSecond[:10], want) {
			t.Errorf("%v a second, want %v", perSecond[:10], want)
		}

		// Then all at once.
		if waited := time.Since(start); waited != queue.Default().Breaker.RecoveryTime {
			t.Errorf("the last was handed out after %v, want %v", waited, queue.Default().Breaker.RecoveryTime)
		}

		inState(t, q, queue.Closed)
	})
}

// The hand-outs of a quiet second cannot be made up for later.
func TestRecoveryDoesNotSaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := recovering(t, 10)
		pass(900 * time.Millisecond)
		getAfter(t, q, 0)
		getAfter(t, q, 100*time.Millisecond)
		getAfter(t, q, 50*time.Millisecond)
	})
}

// However slow the recovery is, it ends.
func TestRecoveryEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := recovering(t, 100, func(cfg *queue.Config) { cfg.Breaker.RecoveryRate = 0.001 })
		getAfter(t, q, 0)
		getAfter(t, q, queue.Default().Breaker.RecoveryTime)

		for range 98 {
			getAfter(t, q, 0)
		}
	})
}

// A failure during the recovery is nobody's yet: it waits until the recovery is over.
func TestFailureDuringARecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := recovering(t, 1)
		over := time.Now().Add(queue.Default().Breaker.RecoveryTime)

		s := getAfter(t, q, 0).Unavailable(usage, errTrouble)
		if !s.Waits || s.Opened || !s.Again.Equal(over) {
			t.Fatalf("%+v, want that it waits until %v", s, over)
		}

		inState(t, q, queue.Recovering)

		lease := getAfter(t, q, time.Until(over))
		if lease.Attempts() != 0 {
			t.Fatalf("%d attempts, want none", lease.Attempts())
		}

		if s := lease.Unavailable(usage, errTrouble); s.Waits || s.Opened {
			t.Fatalf("%+v, want a failure of its own", s)
		}

		inState(t, q, queue.Closed)
	})
}

// One that was handed out during the recovery and fails after it does not open the breaker alone.
func TestFailureAfterARecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := recovering(t, 1)
		lease := getAfter(t, q, 0)

		pass(time.Hour)

		if s := lease.Unavailable(usage, errTrouble); s.Waits || s.Opened {
			t.Fatalf("%+v, want a failure of its own", s)
		}

		inState(t, q, queue.Closed)
	})
}

// As many failures in a row as open a breaker do so during a recovery too, and the outage goes on.
func TestRelapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := recovering(t, 20)
		since := inState(t, q, queue.Recovering).Since

		for i := range threshold {
			lease, err := q.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			if s := lease.Unavailable(usage, errTrouble); !s.Waits || s.Opened != (i == threshold-1) {
				t.Fatalf("failure %d: %+v", i, s)
			}
		}

		if d := inState(t, q, queue.Open); !d.Since.Equal(since) || d.Trips != 2 {
			t.Fatalf("%+v, want missed again, since %v", d, since)
		}

		// It was open once before, so this probe comes later.
		getAfter(t, q, 2*firstProbe)

		for _, it := range q.Items() {
			if it.Attempts > 0 {
				t.Errorf("%+v, want no failures", it)
			}
		}
	})
}
