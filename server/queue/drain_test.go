package queue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestDrainRefusesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		enqueue(t, q, "a/y", queue.Signal)
		lease := take(t, q)

		drained := make(chan []queue.Item)
		go func() { drained <- q.Drain(t.Context()) }()

		synctest.Wait()

		if _, err := q.Enqueue(&queue.Request{Service: "a/z"}); !errors.Is(err, queue.ErrShuttingDown) {
			t.Fatalf("Enqueue: %v, want %v", err, queue.ErrShuttingDown)
		}

		if _, err := q.Get(t.Context()); !errors.Is(err, queue.ErrShutDown) {
			t.Fatalf("Get: %v, want %v", err, queue.ErrShutDown)
		}

		lease.Succeed()

		if left := <-drained; len(left) != 1 || left[0].Service != "a/y" {
			t.Fatalf("left %+v, want a/y", left)
		}
	})
}

// At the deadline everything that is left is returned, in whatever state.
func TestDrainEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := failing(t, 6)

		for service, finish := range map[string]func(queue.Lease){
			"b/backing-off": func(l queue.Lease) { l.Retry(errTrouble) },
			"b/running":     func(queue.Lease) {},
			"b/waiting":     queue.Lease.Release,
		} {
			enqueue(t, q, service, queue.Signal)
			finish(takeNamed(t, q, service))

			if service == "b/waiting" {
				q.Postpone(service, time.Now().Add(time.Hour))
			}
		}

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()

		states := make(map[string]queue.State)
		for _, left := range q.Drain(ctx) {
			states[left.Service] = left.State
		}

		for service, want := range map[string]queue.State{
			"a/x": queue.Failed, "b/backing-off": queue.BackingOff, "b/running": queue.Running, "b/waiting": queue.Waiting,
		} {
			if got, ok := states[service]; !ok || got != want {
				t.Errorf("%s: %v, want %v", service, got, want)
			}
		}
	})
}

// A lease may be completed at any time after the drain, and nothing is lost by it.
func TestCompletionAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for _, service := range []string{"a/1", "a/2", "a/3", "a/4"} {
			enqueue(t, q, service, queue.Signal)
		}

		leases := []queue.Lease{take(t, q), take(t, q), take(t, q), take(t, q)}
		q.Close()
		q.Close()

		leases[0].Succeed()
		leases[1].Release()
		leases[2].Retry(errTrouble)
		leases[3].Fail(errTrouble)
		pass(time.Hour)

		if d := q.Depth(); d != (queue.Depth{Waiting: 1, BackingOff: 1, Failed: 1}) {
			t.Fatalf("%+v", d)
		}

		if left := q.Drain(t.Context()); len(left) != 3 {
			t.Fatalf("%d items left, want 3", len(left))
		}

		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCloseEndsADrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q)
		time.AfterFunc(time.Second, q.Close)

		if left := q.Drain(t.Context()); len(left) != 1 || left[0].State != queue.Running {
			t.Fatalf("left %+v, want the running item", left)
		}
	})
}
