package queue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// shut are the ways in which nothing is handed out.
var shut = map[string]func(*testing.T, *queue.Queue){
	"paused": func(t *testing.T, q *queue.Queue) {
		t.Helper()
		pause(t, q, queue.Evaluating, 0)
	},
	"open": open,
	"probing": func(t *testing.T, q *queue.Queue) {
		t.Helper()
		open(t, q)
		getAfter(t, q, firstProbe)
	},
}

// Workers that wait at a gate work everything off when it opens, although nothing is enqueued any more.
func TestNoWakeUpIsLostAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const items, workers = 500, 8

		q := dependent(t)
		back := time.Now().Add(time.Minute)

		for i := range items {
			enqueue(t, q, fmt.Sprintf("t%d/%d", i%7, i), queue.Triggers()[i%3])
		}

		var working sync.WaitGroup
		for range workers {
			working.Go(func() {
				for {
					lease, err := q.Get(t.Context())
					if err != nil {
						return
					}

					time.Sleep(time.Millisecond)

					if time.Now().Before(back) {
						lease.Unavailable(usage, errTrouble)
					} else {
						lease.Succeed()
					}
				}
			})
		}

		// The probe after the one that just failed, then the recovery, then what was delayed until it is over.
		cfg := queue.Default().Breaker
		pass(time.Minute + cfg.Probe.Cap + 2*cfg.RecoveryTime)

		if d := q.Depth(); d != (queue.Depth{}) {
			t.Errorf("%+v, want nothing left", d)
		}

		q.Close()
		working.Wait()
	})
}

// Whoever waits while a probe runs goes on when it ends, whoever ends it and however, although nothing else happens.
func TestEndOfAProbeWakes(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*queue.Queue, queue.Lease)
		wait time.Duration
	}{
		"answered": {func(_ *queue.Queue, l queue.Lease) { l.Succeed() }, 0},
		"missed":   {func(_ *queue.Queue, l queue.Lease) { l.Unavailable(usage, errTrouble) }, 2 * firstProbe},
		"revoked": {func(q *queue.Queue, l queue.Lease) {
			q.Forget(l.Service())
			l.Release()
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)
				open(t, q)

				probe := getAfter(t, q, firstProbe)
				pass(time.Minute) // what backed off is ready by now

				var waiting sync.WaitGroup

				waiting.Go(func() { getAfter(t, q, time.Minute+c.wait) })
				pass(time.Minute)
				c.end(q, probe)
				waiting.Wait()
			})
		})
	}
}

// A worker that leaves the gate takes no wake-up with it.
func TestLeavingTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		pause(t, q, queue.Evaluating, time.Minute)

		// They leave until the very moment of the end.
		var leaving, staying sync.WaitGroup
		for second := range 61 {
			leaving.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(second)*time.Second)
				defer cancel()

				if lease, err := q.Get(ctx); err == nil {
					lease.Release()
				}
			})
		}

		synctest.Wait()
		staying.Go(func() { getAfter(t, q, time.Minute) })
		staying.Wait()
		leaving.Wait()
	})
}

func TestDrainAtTheGate(t *testing.T) {
	for name, shut := range shut {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)
				shut(t, q)

				for i := range 5 {
					enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
				}

				var waiting sync.WaitGroup
				for range 3 {
					waiting.Go(func() {
						if _, err := q.Get(t.Context()); !errors.Is(err, queue.ErrShutDown) {
							t.Errorf("Get: %v, want %v", err, queue.ErrShutDown)
						}
					})
				}

				synctest.Wait()

				items := len(q.Items())
				start := time.Now()

				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()

				left := q.Drain(ctx)
				if len(left) != items {
					t.Errorf("%d items left, want %d", len(left), items)
				}

				// It waits for a probe, and for nothing else.
				want := time.Duration(0)
				if name == "probing" {
					want = time.Minute
				}

				if waited := time.Since(start); waited != want {
					t.Errorf("drained after %v, want %v", waited, want)
				}

				waiting.Wait()
			})
		})
	}
}

func TestCloseAtTheGate(t *testing.T) {
	for name, shut := range shut {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)
				shut(t, q)
				enqueue(t, q, "a/x", queue.Signal)

				var waiting sync.WaitGroup
				for range 3 {
					waiting.Go(func() {
						if _, err := q.Get(t.Context()); !errors.Is(err, queue.ErrShutDown) {
							t.Errorf("Get: %v, want %v", err, queue.ErrShutDown)
						}
					})
				}

				synctest.Wait()
				q.Close()
				waiting.Wait()

				// Neither the end of a pause nor a breaker opens what is closed.
				q.Resume(queue.Evaluating)
				pass(time.Hour)
				nothing(t, q)
			})
		})
	}
}

// A lease may be completed for want of a dependency after the end, and its item is kept as it was.
func TestUnavailableAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)

		for i := range 2 * threshold {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		leases := takeAll(t, q)

		q.Close()

		for _, lease := range leases {
			lease.Unavailable(usage, errTrouble)
		}

		pass(time.Hour)

		if d := q.Depth(); d != (queue.Depth{Waiting: threshold + 1, BackingOff: threshold - 1}) {
			t.Fatalf("%+v", d)
		}

		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// A pause and an outage at once: the later end counts.
func TestPauseDuringAnOutage(t *testing.T) {
	for name, until := range map[string]time.Duration{"shorter": firstProbe / 2, "longer": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)
				open(t, q)
				pause(t, q, queue.Evaluating, until)
				getAfter(t, q, max(until, firstProbe))
				inState(t, q, queue.Probing)
			})
		})
	}
}
