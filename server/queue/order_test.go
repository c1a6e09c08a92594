package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

func TestUrgentOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/periodic", queue.Periodic)
		enqueue(t, q, "b/manual", queue.Manual)
		enqueue(t, q, "c/signal", queue.Signal)

		for _, want := range []string{"c/signal", "b/manual", "a/periodic"} {
			takeNamed(t, q, want)
		}
	})
}

func TestDueIsEnqueuedPlusSlack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for trigger, slack := range map[queue.Trigger]time.Duration{
			queue.Signal: 0, queue.Manual: time.Second, queue.Periodic: 5 * time.Minute,
		} {
			if r := enqueue(t, q, "a/"+trigger.String(), trigger); time.Until(r.Due) != slack {
				t.Errorf("%v due after %v, want %v", trigger, time.Until(r.Due), slack)
			}
		}
	})
}

func TestMergedKeepsTheEarliestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		first := enqueue(t, q, "a/x", queue.Manual)
		pass(500 * time.Millisecond)

		for _, trigger := range []queue.Trigger{queue.Manual, queue.Periodic} {
			r := enqueue(t, q, "a/x", trigger)
			if r.Outcome != queue.Merged || !r.Due.Equal(first.Due) {
				t.Fatalf("%v: %+v, want merged, due %v", trigger, r, first.Due)
			}
		}

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.MovedUp || !r.Due.Equal(time.Now()) {
			t.Fatalf("%+v, want moved up to now", r)
		}
	})
}

// A tenant that floods the queue holds another up for one hand-out.
func TestFlood(t *testing.T) {
	for trigger, flood := range map[queue.Trigger]int{
		queue.Signal: 100_000, queue.Manual: 1_000, queue.Periodic: 1_000,
	} {
		t.Run(trigger.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t)
				for i := range flood {
					enqueue(t, q, fmt.Sprintf("flood/%d", i), trigger)
				}

				pass(time.Hour)
				enqueue(t, q, "other/x", trigger)

				for range 2 {
					if take(t, q).Service() == "other/x" {
						return
					}
				}

				t.Fatal("other/x was not handed out within two")
			})
		})
	}
}

// However late the periodic work is, a signal is not behind it.
func TestSignalAmongOverduePeriodic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		for i := range 1000 {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Periodic)
		}

		pass(time.Hour)
		enqueue(t, q, "b/x", queue.Signal)

		for range 2 {
			if take(t, q).Service() == "b/x" {
				return
			}
		}

		t.Fatal("the signal was not handed out within two")
	})
}

// Signals that come faster than they can be worked off do not keep periodic and manual work from starting in time.
func TestSaturatingSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond = 10

		q := newQueue(t)
		cfg := queue.Default()
		due := make(map[string]time.Time)
		signals := 0

		for second := range 900 {
			for range 2 * perSecond {
				enqueue(t, q, fmt.Sprintf("s%d/%d", signals%7, signals), queue.Signal)
				signals++
			}

			if second%2 == 0 {
				service := fmt.Sprintf("p%d/%d", second%3, second)
				due[service] = time.Now().Add(cfg.Slack.Periodic)
				enqueue(t, q, service, queue.Periodic)
			}

			service := fmt.Sprintf("m/%d", second)
			due[service] = time.Now().Add(cfg.Slack.Manual)
			enqueue(t, q, service, queue.Manual)

			for range perSecond {
				lease := take(t, q)
				if deadline, urgent := due[lease.Service()]; urgent && time.Now().After(deadline) {
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

func TestTenantsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for _, service := range []string{"a/1", "a/2", "a/3", "b/1", "b/2", "c/1"} {
			enqueue(t, q, service, queue.Signal)
			pass(time.Millisecond)
		}

		for _, want := range []string{"a/1", "b/1", "c/1", "a/2", "b/2", "a/3"} {
			takeNamed(t, q, want)
		}
	})
}

// What comes back is in order with what came meanwhile.
func TestReleasedGoesBackToItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for i := range 5 {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Periodic)
			pass(time.Second)
		}

		leases := []queue.Lease{take(t, q), take(t, q), take(t, q)}
		for _, lease := range leases {
			lease.Release()
		}

		for i := range 5 {
			takeNamed(t, q, fmt.Sprintf("a/%d", i))
		}
	})
}
