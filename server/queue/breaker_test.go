package queue_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// dependent returns a queue without jitter whose evaluations need the usage store: backoffs are as long, and probes come
// as early, as they may.
func dependent(t *testing.T, change ...func(*queue.Config)) *queue.Queue {
	t.Helper()

	return newQueue(t, append([]func(*queue.Config){
		func(cfg *queue.Config) { cfg.Breaker.Dependencies = []string{usage} },
	}, change...)...)
}

// threshold is how many failures open a breaker.
var threshold = queue.Default().Breaker.Threshold

// firstProbe is when the first probe comes without jitter.
var firstProbe = queue.Default().Breaker.Probe.Base / 2

// miss gets the next item, which fails for want of the usage store.
func miss(t *testing.T, q *queue.Queue) queue.Setback {
	t.Helper()

	return take(t, q).Unavailable(usage, errTrouble)
}

// open opens the usage store's breaker: "o/4" waits, "o/0" to "o/3" have failed once.
func open(t *testing.T, q *queue.Queue) {
	t.Helper()

	for i := range threshold {
		service := fmt.Sprintf("o/%d", i)
		enqueue(t, q, service, queue.Signal)
		takeNamed(t, q, service).Unavailable(usage, errTrouble)
	}

	inState(t, q, queue.Open)
}

// inState checks what the usage store's breaker is.
func inState(t *testing.T, q *queue.Queue, want queue.BreakerState) queue.Dependency {
	t.Helper()

	d := q.Dependencies()[0]
	if d.State != want {
		t.Fatalf("%s is %v, want %v", d.Name, d.State, want)
	}

	return d
}

func TestBreakerOpensAtTheThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)
		for i := range 2 * threshold {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		for range threshold - 1 {
			if s := miss(t, q); s.Waits || s.Opened || s.GaveUp || time.Until(s.Again) != time.Second {
				t.Fatalf("%+v, want a failure of its own", s)
			}
		}

		if d := inState(t, q, queue.Closed); d != (queue.Dependency{Name: usage}) {
			t.Fatalf("%+v, want nothing of note", d)
		}

		if s := miss(t, q); !s.Waits || !s.Opened || s.GaveUp || !s.Again.Equal(time.Now()) {
			t.Fatalf("%+v, want one that opens the breaker", s)
		}

		d := inState(t, q, queue.Open)
		if d.Message != errTrouble.Error() || !d.Since.Equal(time.Now()) || d.Trips != 1 {
			t.Fatalf("%+v, want what it said, and since when", d)
		}

		nothing(t, q)
	})
}

// Whatever shows that the dependency answers begins the count anew.
func TestAnswersBetweenFailures(t *testing.T) {
	for name, answer := range map[string]func(queue.Lease){
		"success":   queue.Lease.Succeed,
		"failure":   func(l queue.Lease) { l.Retry(errTrouble) },
		"permanent": func(l queue.Lease) { l.Fail(errTrouble) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)

				for i := range 5 * threshold {
					enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
					lease := take(t, q)

					if i%threshold == threshold-1 {
						answer(lease)
					} else if s := lease.Unavailable(usage, errTrouble); s.Waits {
						t.Fatalf("%+v after %d failures", s, i%threshold)
					}
				}

				inState(t, q, queue.Closed)
			})
		})
	}
}

// What says nothing about the dependency leaves the count as it is.
func TestSilenceBetweenFailures(t *testing.T) {
	for name, silent := range map[string]func(*queue.Queue, queue.Lease){
		"released": func(_ *queue.Queue, l queue.Lease) { l.Release() },
		"stranger": func(_ *queue.Queue, l queue.Lease) { l.Unavailable(stranger, errTrouble) },
		"revoked": func(q *queue.Queue, l queue.Lease) {
			q.Forget(l.Service())
			l.Retry(errTrouble)
		},
		"revoked, unavailable": func(q *queue.Queue, l queue.Lease) {
			q.Forget(l.Service())
			l.Unavailable(usage, errTrouble)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := dependent(t)

				for i := range threshold {
					inState(t, q, queue.Closed)
					enqueue(t, q, "a/silent", queue.Signal)
					silent(q, takeNamed(t, q, "a/silent"))
					q.Forget("a/silent")

					service := fmt.Sprintf("a/%d", i)
					enqueue(t, q, service, queue.Signal)
					takeNamed(t, q, service).Unavailable(usage, errTrouble)
				}

				inState(t, q, queue.Open)
			})
		})
	}
}

// A service that fails while others do not is given up like any other.
func TestFailingServiceIsNotTheDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)
		limit := queue.Default().BackoffLimit
		enqueue(t, q, "a/x", queue.Signal)

		for i := range limit {
			s := takeNamed(t, q, "a/x").Unavailable(usage, errTrouble)
			if s.Waits || s.GaveUp != (i == limit-1) {
				t.Fatalf("failure %d: %+v", i, s)
			}

			enqueue(t, q, "b/y", queue.Signal)
			takeNamed(t, q, "b/y").Succeed()

			if !s.GaveUp {
				pass(time.Until(s.Again))
			}
		}

		if it := item(t, q); it.State != queue.Failed || it.Attempts != limit || it.LastError != errTrouble.Error() {
			t.Fatalf("%+v, want failed", it)
		}

		if d := inState(t, q, queue.Closed); d.Trips != 0 {
			t.Fatalf("%+v, want never missed", d)
		}

		if stats := q.Stats(); stats.GaveUp != 1 || stats.Retried != uint64(limit) || stats.Unavailable != 0 {
			t.Fatalf("%+v", stats)
		}
	})
}

// However long the dependency is missing, it costs the services no attempts.
func TestOutageBurnsNoAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const running = 20

		q := dependent(t)
		before := make(map[string]int)

		for i := range running {
			service := fmt.Sprintf("a/%d", i)
			enqueue(t, q, service, queue.Signal)

			before[service] = i % 4
			for range before[service] {
				again, _ := takeNamed(t, q, service).Retry(errTrouble)
				pass(time.Until(again))
			}

			takeNamed(t, q, service).Release()
			q.Postpone(service, time.Now().Add(time.Hour))
		}

		pass(2 * time.Hour)

		leases := takeAll(t, q)
		if len(leases) != running {
			t.Fatalf("%d run, want %d", len(leases), running)
		}

		for i, lease := range leases {
			s := lease.Unavailable(usage, errors.New("gone"))
			if s.Waits != (i >= threshold-1) || s.Opened != (i == threshold-1) {
				t.Fatalf("failure %d: %+v", i, s)
			}

			if !s.Waits {
				before[lease.Service()]++
			}
		}

		for until := time.Now().Add(24 * time.Hour); time.Now().Before(until); {
			lease, err := q.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			if s := lease.Unavailable(usage, errTrouble); !s.Waits {
				t.Fatalf("%+v, want that it waits", s)
			}
		}

		for _, it := range q.Items() {
			if it.State != queue.Waiting || it.Attempts != before[it.Service] {
				t.Errorf("%+v, want waiting with %d attempts", it, before[it.Service])
			}
		}
	})
}

// A dependency that the queue was not told of has no breaker: the failures are the services' own.
func TestUnknownDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)

		for i := range 3 * threshold {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)

			if s := take(t, q).Unavailable(stranger, errTrouble); s.Waits || time.Until(s.Again) != time.Second {
				t.Fatalf("%+v, want a failure of its own", s)
			}
		}

		inState(t, q, queue.Closed)
	})
}

func TestTwoDependencies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t, func(cfg *queue.Config) { cfg.Breaker.Dependencies = []string{usage, records} })

		for i := range 4 * threshold {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		leases := takeAll(t, q)

		states := func(want ...queue.BreakerState) {
			t.Helper()

			for i, d := range q.Dependencies() {
				if d.State != want[i] {
					t.Fatalf("%s is %v, want %v", d.Name, d.State, want[i])
				}
			}
		}

		// Each has its own count.
		for i := range 2*threshold - 2 {
			leases[i].Unavailable([]string{usage, records}[i%2], errTrouble)
		}

		states(queue.Closed, queue.Closed)
		leases[2*threshold].Unavailable(usage, errTrouble)
		states(queue.Open, queue.Closed)
		pass(firstProbe / 2)
		leases[2*threshold+1].Unavailable(records, errTrouble)
		states(queue.Open, queue.Open)

		// One probe is for both, when both want one, and one that is missing keeps the gate shut.
		probe := getAfter(t, q, firstProbe)

		states(queue.Probing, queue.Probing)
		nothing(t, q)
		probe.Unavailable(usage, errTrouble)
		states(queue.Open, queue.Open)

		probe = getAfter(t, q, 2*firstProbe)
		probe.Unavailable(records, errTrouble)
		states(queue.Open, queue.Open)

		getAfter(t, q, 2*firstProbe).Succeed()
		states(queue.Recovering, queue.Recovering)
	})
}
