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

func TestGetWaitsForAnItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		got := make(chan string, 3)

		for range 3 {
			go func() {
				lease, err := q.Get(t.Context())
				if err != nil {
					t.Error(err)

					return
				}

				got <- lease.Service()
			}()
		}

		synctest.Wait()

		for _, service := range []string{"a/1", "a/2", "a/3"} {
			enqueue(t, q, service, queue.Signal)
		}

		synctest.Wait()

		if len(got) != 3 {
			t.Fatalf("%d of 3 got an item", len(got))
		}
	})
}

func TestGetWaitsForTheEndOfABackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		again, _ := take(t, q).Retry(errTrouble)

		if _, err := q.Get(t.Context()); err != nil {
			t.Fatal(err)
		}

		if !time.Now().Equal(again) {
			t.Fatalf("handed out at %v, want %v", time.Now(), again)
		}
	})
}

func TestGetEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()

		if _, err := q.Get(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Get: %v, want the context's error", err)
		}

		enqueue(t, q, "a/x", queue.Signal)

		if _, err := q.Get(ctx); err == nil {
			t.Fatal("handed out although the context has ended")
		}

		take(t, q)
	})
}

// A worker that leaves while it is being woken passes the word on.
func TestWakeIsNotLostWithAContext(t *testing.T) {
	for range 1000 {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t)
			ctx, cancel := context.WithCancel(t.Context())

			var leaving, staying sync.WaitGroup

			leaving.Go(func() {
				if lease, err := q.Get(ctx); err == nil {
					lease.Release()
				}
			})
			synctest.Wait()
			staying.Go(func() {
				if _, err := q.Get(t.Context()); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()

			go cancel()

			enqueue(t, q, "a/x", queue.Signal)
			leaving.Wait()
			staying.Wait()
		})
	}
}

func TestGetEndsWithTheQueue(t *testing.T) {
	for name, stop := range map[string]func(*queue.Queue){
		"close": (*queue.Queue).Close,
		"drain": func(q *queue.Queue) { q.Drain(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t)

				var workers sync.WaitGroup
				for range 3 {
					workers.Go(func() {
						if _, err := q.Get(t.Context()); !errors.Is(err, queue.ErrShutDown) {
							t.Errorf("Get: %v, want %v", err, queue.ErrShutDown)
						}
					})
				}

				synctest.Wait()
				stop(q)
				workers.Wait()
			})
		})
	}
}

// Many items that become ready at once wake as many workers.
func TestManyBecomeReadyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 50

		q := newQueue(t)
		ready := time.Now().Add(time.Hour)

		for i := range workers {
			service := fmt.Sprintf("a/%d", i)
			enqueue(t, q, service, queue.Signal)
			q.Postpone(service, ready)
		}

		var working sync.WaitGroup
		for range workers {
			working.Go(func() {
				if _, err := q.Get(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}

		working.Wait()

		if !time.Now().Equal(ready) || q.Depth().Running != workers {
			t.Fatalf("%+v at %v, want all running at %v", q.Depth(), time.Now(), ready)
		}
	})
}
