package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// stressKey is what the workers of the stress test note about one service.
type stressKey struct {
	service string
	running atomic.Int32
	// asked counts the requests before each is sent, seen is that count at the start of the latest run that succeeded.
	asked, seen atomic.Int64
	// taken is that count of a request that was taken in.
	taken atomic.Int64
}

// stressful has everything happen often: delays, outages and recoveries are over within moments.
func stressful(cfg *queue.Config) {
	cfg.Backoff = queue.Backoff{Base: time.Microsecond, Cap: 10 * time.Microsecond}
	cfg.BackoffLimit = 1_000_000
	cfg.Slack.Periodic = time.Millisecond
	cfg.Rand = rand.Int64N
	cfg.Breaker = queue.BreakerConfig{
		Dependencies: []string{usage, records}, Threshold: 3,
		Probe:        queue.Backoff{Base: time.Microsecond, Cap: 10 * time.Microsecond},
		RecoveryRate: 500_000, RecoveryTime: 20 * time.Microsecond,
	}
}

// stressKeys returns the services of a stress test, also by name.
func stressKeys(keys int) (all []*stressKey, byService map[string]*stressKey) {
	byService = make(map[string]*stressKey)

	for i := range keys {
		key := &stressKey{service: fmt.Sprintf("tenant-%d/%d", i%5, i)}
		all, byService[key.service] = append(all, key), key
	}

	return all, byService
}

// TestStress has everything happen at once. No service runs twice at a time, none is lost, and each runs after its last
// request.
func TestStress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys, requests, workers = 50, 20_000, 8

		q := newQueue(t, stressful)
		all, byService := stressKeys(keys)

		var producing, working sync.WaitGroup

		for range workers {
			working.Go(func() { stressWork(t, q, byService) })
		}

		for range 4 {
			producing.Go(func() {
				for range requests {
					stressRequest(t, q, all[rand.N(keys)])
				}
			})
		}

		producing.Wait()
		stressCheckHappened(t, q)

		// Once more for each, so that what was forgotten or refused is made good.
		q.Resume(queue.Accepting)
		q.Resume(queue.Evaluating)

		for _, key := range all {
			stressEnqueue(t, q, key)
		}

		for q.Depth() != (queue.Depth{}) {
			pass(time.Millisecond)
		}

		if err := q.Check(); err != nil {
			t.Error(err)
		}

		for range 3 {
			producing.Go(func() {
				if left := q.Drain(t.Context()); len(left) != 0 {
					t.Errorf("%d items left, want none", len(left))
				}
			})
		}

		producing.Wait()
		working.Wait()

		for _, key := range all {
			if key.seen.Load() != key.asked.Load() {
				t.Errorf("%s ran for the last time before its last request", key.service)
			}
		}
	})
}

// stressCheckHappened checks that the test was as hard as it is meant to be.
func stressCheckHappened(t *testing.T, q *queue.Queue) {
	t.Helper()

	for _, d := range q.Dependencies() {
		if d.Trips < 10 {
			t.Errorf("%s was missed %d times, want often", d.Name, d.Trips)
		}
	}

	stats := q.Stats()
	if stats.Succeeded < 1000 || stats.Retried < 1000 || stats.Unavailable < 20 || stats.Jumped < 10 {
		t.Errorf("%+v, want much of everything", stats)
	}
}

// TestStressDrain drains in the middle of it all. What was taken in has run since or is left, and all who drain get the
// same.
func TestStressDrain(t *testing.T) {
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			const keys, workers, drains = 50, 8, 3

			q := newQueue(t, stressful)
			all, byService := stressKeys(keys)

			var producing, working, draining sync.WaitGroup

			for range workers {
				working.Go(func() { stressWork(t, q, byService) })
			}

			for range 4 {
				producing.Go(func() {
					for stressEnqueue(t, q, all[rand.N(keys)]) {
						stressPause(q)
						time.Sleep(rand.N(time.Microsecond))
					}
				})
			}

			pass(200 * time.Microsecond)

			lefts := make([][]queue.Item, drains)
			for i := range lefts {
				draining.Go(func() { lefts[i] = q.Drain(t.Context()) })
			}

			draining.Wait()
			producing.Wait()
			working.Wait()

			left := make(map[string]bool)
			for _, it := range lefts[0] {
				left[it.Service] = true
			}

			for _, other := range lefts[1:] {
				if !slices.EqualFunc(lefts[0], other, sameItem) {
					t.Errorf("one drain left %d items, another %d others", len(lefts[0]), len(other))
				}
			}

			for _, key := range all {
				if key.taken.Load() > key.seen.Load() && !left[key.service] {
					t.Errorf("%s is lost", key.service)
				}
			}
		})
	}
}

func stressRequest(t *testing.T, q *queue.Queue, key *stressKey) {
	t.Helper()

	switch rand.N(40) {
	case 0:
		q.Forget(key.service)
	case 1:
		q.Postpone(key.service, time.Now().Add(rand.N(time.Millisecond)))
	case 2:
		q.Items()
	case 3:
		q.Stats()
		q.Tenants(3)
		q.Tenant("tenant-1")
	case 4:
		q.RetryNow(key.service)
	case 5:
		everything(q, queue.Filter{Tenant: "tenant-2"}, 3)
	case 6:
		stressRestore(t, q, key)
	case 7:
		stressPause(q)
	case 8:
		q.Pauses()
		q.Dependencies()
	case 9, 10:
		time.Sleep(rand.N(10 * time.Microsecond))
	default:
		stressEnqueue(t, q, key)
	}
}

// stressPause mostly does nothing, and else orders a short pause or ends one.
func stressPause(q *queue.Queue) {
	scope := queue.Scope(rand.N(2))

	switch rand.N(10) {
	case 0:
		_, _ = q.Pause(queue.Pause{
			Scope: scope, Author: "ann", Reason: "stress", Until: time.Now().Add(rand.N(20*time.Microsecond) + 1),
		})
	case 1:
		q.Resume(scope)
	}
}

func stressRestore(t *testing.T, q *queue.Queue, key *stressKey) {
	t.Helper()

	past := queue.Past{
		Attempts: rand.N(4), GaveUp: rand.N(2) == 0, Again: time.Now().Add(rand.N(10 * time.Microsecond)),
	}

	err := q.Restore(&queue.Request{Service: key.service, Trigger: queue.Signal, Source: "restored"}, past)
	if err != nil && !errors.Is(err, queue.ErrPaused) {
		t.Error(err)
	}
}

// stressEnqueue reports whether the queue still takes requests in.
func stressEnqueue(t *testing.T, q *queue.Queue, key *stressKey) bool {
	t.Helper()

	asked := key.asked.Add(1)
	trigger := queue.Triggers()[rand.N(len(queue.Triggers()))]

	_, err := q.Enqueue(&queue.Request{Service: key.service, Trigger: trigger, Source: trigger.String()})

	switch {
	case err == nil:
		key.taken.Store(asked)
	case errors.Is(err, queue.ErrShuttingDown):
		return false
	case !errors.Is(err, queue.ErrPaused):
		t.Error(err)
	}

	return true
}

func stressWork(t *testing.T, q *queue.Queue, keys map[string]*stressKey) {
	t.Helper()

	for {
		ctx, cancel := context.WithTimeout(context.Background(), rand.N(time.Millisecond))
		lease, err := q.Get(ctx)

		cancel()

		switch {
		case err == nil:
			stressRun(t, keys[lease.Service()], lease)
		case errors.Is(err, queue.ErrShutDown):
			return
		}
	}
}

func stressRun(t *testing.T, key *stressKey, lease queue.Lease) {
	t.Helper()

	if key.running.Add(1) != 1 {
		t.Errorf("%s runs twice at a time", key.service)
	}

	asked := key.asked.Load()
	action := rand.N(12)

	lease.OnRevoke(func() {})

	if action > 5 {
		key.seen.Store(asked)
	}

	key.running.Add(-1)

	switch action {
	case 4, 5:
		lease.Unavailable([]string{usage, records}[action-4], errTrouble)
	case 6:
		// Only one of these counts.
		var both sync.WaitGroup

		both.Go(lease.Succeed)
		both.Go(lease.Release)
		both.Wait()
	case 0:
		lease.Release()
	case 1, 2, 3:
		lease.Retry(errTrouble)
	default:
		lease.Succeed()
	}

	if rand.N(4) == 0 {
		lease.Succeed()
		lease.Release()
	}
}

// The index is made small again while others look for their services in it.
func TestStressIndex(t *testing.T) {
	q := newQueue(t)

	var looking sync.WaitGroup

	stop := make(chan struct{})

	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					q.Forget("b/none")
				}
			}
		})
	}

	for _, items := range []int{5000, 1, 5000, 1} {
		for i := range items {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		for _, lease := range takeAll(t, q) {
			lease.Succeed()
		}
	}

	close(stop)
	looking.Wait()
}
