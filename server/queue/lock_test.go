package queue_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tidemark-project/tidemark/server/queue"
)

// Who says that it is done does not wait for the lock, and is heard nevertheless.
func TestSuccessNeedNotWait(t *testing.T) {
	q := newQueue(t)
	enqueue(t, q, "a/1", queue.Signal)
	enqueue(t, q, "a/2", queue.Signal)

	first, second := take(t, q), take(t, q)
	enqueue(t, q, "a/2", queue.Signal) // once more

	q.WhileLocked(func() {
		first.Succeed()
		second.Succeed()
		first.Succeed() // a stray one
	})

	if depth := q.Depth(); depth != (queue.Depth{Waiting: 1}) {
		t.Errorf("depth is %+v, want one waiting", depth)
	}

	if stats := q.Stats(); stats.Succeeded != 2 || stats.Stray != 1 {
		t.Errorf("%d succeeded and %d stray, want 2 and 1", stats.Succeeded, stats.Stray)
	}

	if err := q.Check(); err != nil {
		t.Error(err)
	}
}

// However many say at the same time that they are done, none is left over: nobody takes the lock afterwards to find it.
func TestNoSuccessIsLeftOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rounds, workers = 500, 8

		for range rounds {
			q := newQueue(t)
			for i := range workers {
				enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
			}

			var working sync.WaitGroup

			start := make(chan struct{})

			for _, lease := range takeAll(t, q) {
				working.Go(func() {
					<-start
					lease.Succeed()
				})
			}

			working.Go(func() {
				if left := q.Drain(t.Context()); len(left) != 0 {
					t.Errorf("%d items left, want none", len(left))
				}
			})

			synctest.Wait() // the drain waits for the leases
			close(start)
			working.Wait()
		}
	})
}
