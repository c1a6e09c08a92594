package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
}

// TestStress has everything happen at once. No service runs twice at a time, none is lost, and each runs after its last
// request.
func TestStress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys, requests, workers = 50, 20_000, 8

		q := newQueue(t, func(cfg *queue.Config) {
			cfg.Backoff = queue.Backoff{Base: time.Microsecond, Cap: 10 * time.Microsecond}
			cfg.BackoffLimit = 1_000_000
			cfg.Slack.Periodic = time.Millisecond
			cfg.Rand = rand.Int64N
		})

		byService := make(map[string]*stressKey)
		all := make([]*stressKey, keys)

		for i := range all {
			all[i] = &stressKey{service: fmt.Sprintf("tenant-%d/%d", i%5, i)}
			byService[all[i].service] = all[i]
		}

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

		// Once more for each, so that what was forgotten is made good.
		for _, key := range all {
			stressEnqueue(t, q, key)
		}

		for q.Depth() != (queue.Depth{}) {
			pass(time.Millisecond)
		}

		if err := q.Check(); err != nil {
			t.Error(err)
		}

		if left := q.Drain(t.Context()); len(left) != 0 {
			t.Errorf("%d items left, want none", len(left))
		}

		working.Wait()

		for _, key := range all {
			if key.seen.Load() != key.asked.Load() {
				t.Errorf("%s ran for the last time before its last request", key.service)
			}
		}
	})
}

func stressRequest(t *testing.T, q *queue.Queue, key *stressKey) {
	t.Helper()

	switch rand.N(20) {
	case 0:
		q.Forget(key.service)
	case 1:
		q.Postpone(key.service, time.Now().Add(rand.N(time.Millisecond)))
	case 2:
		q.Items()
	case 3:
		q.Stats()
		q.Tenants(3)
	default:
		stressEnqueue(t, q, key)
	}
}

func stressEnqueue(t *testing.T, q *queue.Queue, key *stressKey) {
	t.Helper()

	key.asked.Add(1)

	trigger := queue.Triggers()[rand.N(len(queue.Triggers()))]
	if _, err := q.Enqueue(queue.Request{Service: key.service, Trigger: trigger, Source: trigger.String()}); err != nil {
		t.Error(err)
	}
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

func stressRun(t *testing.T, key *stressKey, lease *queue.Lease) {
	t.Helper()

	if key.running.Add(1) != 1 {
		t.Errorf("%s runs twice at a time", key.service)
	}

	asked := key.asked.Load()
	action := rand.N(10)

	if action > 3 {
		key.seen.Store(asked)
	}

	key.running.Add(-1)

	switch action {
	case 4:
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
