package queue_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// A tenant that floods the queue holds another up for as long as two evaluations take at most, while workers run.
func TestFloodWithWorkers(t *testing.T) {
	for _, trigger := range queue.Triggers() {
		t.Run(trigger.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const flood, workers, evaluation = 100_000, 4, 10 * time.Millisecond

				q := newQueue(t)
				for i := range flood {
					enqueue(t, q, fmt.Sprintf("flood/%d", i), trigger)
				}

				var (
					working sync.WaitGroup
					started = make(chan time.Time, 1)
				)

				for range workers {
					working.Go(func() {
						for {
							lease, err := q.Get(t.Context())
							if err != nil {
								return
							}

							if lease.Service() == "other/x" {
								started <- time.Now()
							}

							time.Sleep(evaluation)
							lease.Succeed()
						}
					})
				}

				pass(time.Second + evaluation/2)
				enqueue(t, q, "other/x", trigger)

				enqueued := time.Now()
				if waited := (<-started).Sub(enqueued); waited > 2*evaluation {
					t.Errorf("started after %v, want two evaluations at most", waited)
				}

				q.Close()
				working.Wait()
			})
		})
	}
}

// However many tenants flood the queue, each waits for one round of them.
func TestFloodOfTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tenants = 100

		q := newQueue(t)
		for i := range 10_000 {
			enqueue(t, q, fmt.Sprintf("t%d/%d", i%tenants, i), queue.Signal)
		}

		enqueue(t, q, "other/x", queue.Signal)

		for range tenants + 1 {
			if take(t, q).Service() == "other/x" {
				return
			}
		}

		t.Fatalf("other/x was not handed out within a round of %d tenants", tenants)
	})
}

// Signals and manual work that both come faster than they can be worked off leave periodic work a quarter of the
// hand-outs, so that as much of it starts within its slack.
func TestPeriodicWithinItsSlack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond = 8

		q := newQueue(t)
		slack := queue.Default().Slack.Periodic
		due := make(map[string]time.Time)

		for second := range 3 * int(slack/time.Second) {
			for i := range 2 * perSecond {
				enqueue(t, q, fmt.Sprintf("s%d/%d-%d", i, second, i), queue.Signal)
				enqueue(t, q, fmt.Sprintf("m%d/%d-%d", i, second, i), queue.Manual)
			}

			// A little less than a quarter.
			if second%10 > 0 {
				for i := range perSecond / 4 {
					service := fmt.Sprintf("p%d/%d-%d", second%3, second, i)
					due[service] = time.Now().Add(slack)
					enqueue(t, q, service, queue.Periodic)
				}
			}

			for range perSecond {
				lease := take(t, q)
				if deadline, periodic := due[lease.Service()]; periodic && time.Now().After(deadline) {
					t.Fatalf("%s started %v late", lease.Service(), time.Since(deadline))
				}

				delete(due, lease.Service())
				lease.Succeed()
				pass(time.Second / perSecond)
			}
		}

		for service, deadline := range due {
			if time.Now().After(deadline) {
				t.Errorf("%s did not start in time", service)
			}
		}
	})
}
