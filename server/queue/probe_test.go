package queue_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestProbeDelaysDoubleUpToTheCap(t *testing.T) {
	for name, jitter := range map[string]struct {
		rand func(n int64) int64
		// share of the delay that is left.
		share float64
	}{
		"least": {func(int64) int64 { return 0 }, 1},
		"most":  {func(n int64) int64 { return n - 1 }, 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t, func(cfg *queue.Config) { cfg.Rand = jitter.rand })
				for i := range threshold {
					enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
				}

				for range threshold {
					miss(t, q)
				}

				for i, seconds := range []float64{1, 2, 4, 8, 16, 30, 30, 30} {
					probe := getAfter(t, q, time.Duration(seconds*jitter.share*float64(time.Second)))
					if probe.Probe() != usage {
						t.Fatalf("%s probes %q, want %q", probe.Service(), probe.Probe(), usage)
					}

					inState(t, q, queue.Probing)
					probe.Unavailable(usage, fmt.Errorf("probe %d", i))

					if d := inState(t, q, queue.Open); d.Message != fmt.Sprintf("probe %d", i) || d.Trips != 1 {
						t.Fatalf("%+v, want the same outage", d)
					}
				}
			})
		})
	}
}

// The times begin anew after an outage that is over.
func TestProbeDelaysBeginAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)

		for range 3 {
			open(t, q)
			start := time.Now()

			for delay := firstProbe; delay < 4*time.Second; delay *= 2 {
				getAfter(t, q, delay).Unavailable(usage, errTrouble)
			}

			if d := inState(t, q, queue.Open); !d.Since.Equal(start) {
				t.Fatalf("%+v, want missed since %v", d, start)
			}

			getAfter(t, q, 4*time.Second).Succeed()
			pass(queue.Default().Breaker.RecoveryTime)

			if d := inState(t, q, queue.Closed); d.Message != "" || !d.Since.IsZero() {
				t.Fatalf("%+v, want nothing of note", d)
			}

			for _, it := range q.Items() {
				q.Forget(it.Service)
			}
		}
	})
}

func TestOneProbeAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)
		for i := range 10 {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		for range threshold {
			miss(t, q)
		}

		getAfter(t, q, firstProbe)

		for range 100 {
			nothing(t, q)
			enqueue(t, q, "a/more", queue.Manual)
			pass(time.Hour)
		}
	})
}

// A probe that ends without an answer is followed by another at once.
func TestProbeWithoutAnAnswer(t *testing.T) {
	for name, end := range map[string]func(*queue.Queue, queue.Lease){
		"released": func(_ *queue.Queue, l queue.Lease) { l.Release() },
		"revoked, released": func(q *queue.Queue, l queue.Lease) {
			q.Forget(l.Service())
			l.Release()
		},
		"revoked, failed": func(q *queue.Queue, l queue.Lease) {
			q.Forget(l.Service())
			l.Retry(errTrouble)
		},
		"revoked, unavailable": func(q *queue.Queue, l queue.Lease) {
			q.Forget(l.Service())
			l.Unavailable(usage, errTrouble)
		},
		"something else is missing": func(_ *queue.Queue, l queue.Lease) { l.Unavailable(stranger, errTrouble) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)
				open(t, q)
				enqueue(t, q, "a/x", queue.Signal)

				for range 3 {
					pass(time.Minute)
					enqueue(t, q, "a/y", queue.Signal)

					probe := take(t, q)

					nothing(t, q)
					end(q, probe)

					if another := getAfter(t, q, 0); another.Probe() != usage {
						t.Fatal("what followed was no probe")
					} else {
						another.Unavailable(usage, errTrouble)
					}

					if d := inState(t, q, queue.Open); d.Trips > 4 {
						t.Fatalf("%+v, want only probes that failed counted", d)
					}
				}
			})
		})
	}
}

// A failure of the service's own shows that the dependency is there.
func TestProbeThatFailsByItself(t *testing.T) {
	for name, end := range map[string]func(queue.Lease){
		"retry": func(l queue.Lease) { l.Retry(errTrouble) },
		"fail":  func(l queue.Lease) { l.Fail(errTrouble) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)
				open(t, q)
				end(getAfter(t, q, firstProbe))
				inState(t, q, queue.Recovering)
			})
		})
	}
}

// What began before the outage says nothing about its end, and is not held against the services.
func TestStragglers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)

		for i := range 50 {
			enqueue(t, q, fmt.Sprintf("s/%d", i), queue.Signal)
		}

		stragglers := takeAll(t, q)

		straggle := func(want queue.BreakerState) {
			t.Helper()

			before := inState(t, q, want)

			for i, end := range []func(queue.Lease){
				queue.Lease.Succeed,
				queue.Lease.Release,
				func(l queue.Lease) { l.Retry(errTrouble) },
				func(l queue.Lease) { l.Fail(errTrouble) },
			} {
				end(stragglers[i])
			}

			for _, lease := range stragglers[4 : 4+threshold] {
				if s := lease.Unavailable(usage, errors.New("gone")); !s.Waits || s.Opened {
					t.Fatalf("%+v while %v, want that it waits", s, want)
				}

				if it, _ := q.Item(lease.Service()); it.State != queue.Waiting || it.Attempts != 0 {
					t.Fatalf("%+v, want waiting without failures", it)
				}
			}

			stragglers = stragglers[4+threshold:]

			if after := inState(t, q, want); after != before {
				t.Fatalf("%+v, want still %+v", after, before)
			}
		}

		open(t, q)
		straggle(queue.Open)

		probe := getAfter(t, q, firstProbe)

		straggle(queue.Probing)
		probe.Succeed()
		straggle(queue.Recovering)
		pass(queue.Default().Breaker.RecoveryTime)
		straggle(queue.Closed)
	})
}

// Among many that wait there may be one that fails whatever the dependency does. It neither is every probe nor opens the
// breaker again and again, and in the end it is given up.
func TestPoisonAfterAnOutage(t *testing.T) {
	for _, trigger := range queue.Triggers() {
		t.Run(trigger.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const others = 200

				q := dependent(t)
				enqueue(t, q, "a/x", trigger)

				for i := range others {
					enqueue(t, q, fmt.Sprintf("a/%d", i), trigger)
				}

				for range threshold + 1 {
					lease, err := q.Get(t.Context())
					if err != nil {
						t.Fatal(err)
					}

					lease.Unavailable(usage, errTrouble)
				}

				// It is back.
				start := time.Now()
				succeeded := 0

				for item(t, q).State != queue.Failed {
					lease, err := q.Get(t.Context())
					if err != nil {
						t.Fatal(err)
					}

					if lease.Service() == "a/x" {
						lease.Unavailable(usage, errTrouble)
					} else if lease.Succeed(); succeeded < others {
						succeeded++
					}

					// There is always something to do.
					enqueue(t, q, fmt.Sprintf("b/%d", time.Now().UnixNano()), trigger)
					pass(10 * time.Millisecond)

					if time.Since(start) > 10*time.Minute {
						t.Fatalf("%d succeeded within %v, the poison is %+v", succeeded, time.Since(start), item(t, q))
					}
				}

				if d := inState(t, q, queue.Closed); d.Trips > 3 {
					t.Fatalf("%+v, want an outage, not many", d)
				}
			})
		})
	}
}

// A service that fails whatever the dependency does costs a quiet queue a few outages until it is given up, not the whole
// day.
func TestPoisonInAQuietQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)
		enqueue(t, q, "a/x", queue.Signal)

		for minute := 0; item(t, q).State != queue.Failed; minute++ {
			if minute > 30 {
				t.Fatalf("%+v after %d minutes, want failed", item(t, q), minute)
			}

			enqueue(t, q, "b/y", queue.Signal)

			for end := time.Now().Add(time.Minute); time.Now().Before(end); pass(time.Second) {
				for lease := q.TryGet(); lease != none; lease = q.TryGet() {
					if lease.Service() == "a/x" {
						lease.Unavailable(usage, errTrouble)
					} else {
						lease.Succeed()
					}
				}
			}

			if it, waits := q.Item("b/y"); waits {
				t.Fatalf("%+v still waits after a minute", it)
			}
		}
	})
}
