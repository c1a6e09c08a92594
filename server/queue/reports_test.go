package queue_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidemark-project/tidemark/server/queue"
)

// The tests of this file are what people have reported of other queues, as far as no other test has it. The numbers are the
// rows of the table in reference/queue.md §8.

// Row 1: there a wish to be put off is lost. Here it holds until somebody asks anew.
func TestReportPostponeHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Periodic)

		for range 10 {
			q.Postpone("a/x", time.Now().Add(time.Hour))
			pass(time.Hour - 1)
			nothing(t, q)
		}

		pass(1)
		take(t, q).Succeed()
		nothing(t, q)
	})
}

// Row 2: there events jump over the backoff of a failing key and hammer what fails. Here a storm of them runs it no more
// often than its failures allow.
func TestReportStormDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		runs := 0

		for range 6000 {
			enqueue(t, q, "a/x", queue.Triggers()[2*(runs%2)])

			if lease := q.TryGet(); lease != none {
				runs++

				lease.Retry(errTrouble)
			}

			pass(10 * time.Millisecond)
		}

		// After 0, 1, 3, 7, 15 and 31 s.
		if runs != queue.Default().BackoffLimit {
			t.Fatalf("%d runs within a minute, want %d", runs, queue.Default().BackoffLimit)
		}

		if jumped := q.Stats().Jumped; jumped != 0 {
			t.Fatalf("%d jumps counted, want none", jumped)
		}
	})
}

// Row 4: there duplicates that were dropped had to be paid for, and delays grew to hours. Here they cost nobody anything,
// nor do the failures of others.
func TestReportDuplicatesAreFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for i := range 1000 {
			service := fmt.Sprintf("a/%d", i%10)
			enqueue(t, q, service, queue.Signal)

			if i%100 == 0 {
				take(t, q).Retry(errTrouble)
			}
		}

		enqueue(t, q, "b/y", queue.Signal)

		for range 2 {
			if take(t, q).Service() == "b/y" {
				return
			}
		}

		t.Fatal("b/y has to wait for what others did")
	})
}

// Row 5: there the end deadlocks. Here everybody comes to an end whatever is under way.
func TestReportEndWhileAllIsUnderWay(t *testing.T) {
	for round := range 200 {
		synctest.Test(t, func(t *testing.T) {
			q := dependent(t)

			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					for range 10 {
						_, _ = q.Enqueue(&queue.Request{Service: fmt.Sprintf("a/%d", i), Trigger: queue.Signal})
						q.Postpone("a/0", time.Now().Add(time.Nanosecond))
						q.RetryNow("a/1")
					}
				})
				all.Go(func() {
					for {
						lease, err := q.Get(t.Context())
						if err != nil {
							return
						}

						lease.Retry(errTrouble)
					}
				})
			}

			for range 3 {
				all.Go(func() {
					if round%2 == 0 {
						q.Drain(t.Context())
					}

					q.Close()
				})
			}

			all.Wait()

			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Row 6: there what is least urgent starves for half an hour behind the more urgent. Here manual work that saturates the
// workers leaves periodic work and signals their share, and the age of what waits is shown.
func TestReportSaturatingManual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		cfg := queue.Default()

		enqueue(t, q, "p/x", queue.Periodic)

		started := false
		for i := 0; !started; i++ {
			for j := range 3 {
				enqueue(t, q, fmt.Sprintf("m/%d-%d", i, j), queue.Manual)
			}

			pass(time.Second)

			if age := q.Stats().Oldest; age > cfg.Slack.Periodic {
				t.Fatalf("something has waited for %v", age)
			}

			lease := take(t, q)
			started = lease.Service() == "p/x"
			lease.Succeed()
		}
	})
}

// Row 8: there what is put back without having failed counts as a failure. Here only outcomes count.
func TestReportRequeuesAreNoFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)

		for range 64 {
			take(t, q).Release()
			q.Postpone("a/x", time.Now().Add(time.Second))
			pass(time.Second)
		}

		if it := item(t, q); it.State != queue.Waiting || it.Attempts != 0 {
			t.Fatalf("%+v, want waiting without failures", it)
		}
	})
}

// Row 9: there each priority has series of its own, 810,000 in the end. Here there are as many as there were in the
// beginning.
func TestReportSeriesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := dependent(t)

		registry := prometheus.NewPedanticRegistry()
		if err := q.Register(registry); err != nil {
			t.Fatal(err)
		}

		before := len(gather(t, registry))

		for i := range 5000 {
			_, err := q.Enqueue(&queue.Request{
				Service: fmt.Sprintf("t%d/%d", i, i), Trigger: queue.Triggers()[i%3], Source: fmt.Sprintf("source-%d", i),
			})
			if err != nil {
				t.Fatal(err)
			}

			if i%2 == 0 {
				if lease := q.TryGet(); lease != none {
					lease.Unavailable(fmt.Sprintf("dependency-%d", i), errTrouble)
				}
			}
		}

		if after := len(gather(t, registry)); after != before {
			t.Fatalf("%d series, want %d as before", after, before)
		}
	})
}

// What a failed item was due by, and for what, is remembered: it is tried again in its own class.
func TestReportUrgencyIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/signal", queue.Signal)

		again, _ := take(t, q).Retry(errTrouble)

		for i := range 100 {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Periodic)
		}

		pass(time.Until(again))
		takeNamed(t, q, "a/signal")
	})
}
