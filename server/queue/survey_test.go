package queue_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tidemark-project/tidemark/server/queue"
)

// The oldest of what is pending is found wherever it lies: ready, put off, running, backing off; but not once it has been
// given up.
func TestSurveyFindsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		came := time.Now()
		enqueue(t, q, "a/x", queue.Signal)
		pass(time.Second)

		later := time.Now()
		enqueue(t, q, "b/y", queue.Periodic)

		check := func(where string, want time.Time, depth queue.Depth) {
			t.Helper()
			pass(time.Millisecond)

			part := queue.Part{Depth: depth, Oldest: want}
			s := q.Survey("a")

			if s.Triggers[queue.Signal] != part || s.Tenants[0].Part != part {
				t.Errorf("%s: by trigger %+v, by tenant %+v, want %+v", where, s.Triggers[queue.Signal], s.Tenants[0], part)
			}

			if want.IsZero() {
				want = later
			}

			if !s.Oldest.Equal(want) {
				t.Errorf("%s: the oldest came %v, want %v", where, s.Oldest, want)
			}
		}

		check("ready", came, queue.Depth{Waiting: 1})
		q.Postpone("a/x", time.Now().Add(time.Minute))
		check("put off", came, queue.Depth{Waiting: 1})
		pass(time.Minute)

		lease := takeNamed(t, q, "a/x")
		check("running", came, queue.Depth{Running: 1})
		enqueue(t, q, "a/x", queue.Signal)
		check("to run once more", came, queue.Depth{Running: 1})
		lease.Retry(errTrouble)
		check("backing off", came, queue.Depth{BackingOff: 1})
		pass(time.Second)
		takeNamed(t, q, "a/x").Fail(errTrouble)
		check("given up", time.Time{}, queue.Depth{Failed: 1})
		q.Forget("a/x")
		check("forgotten", time.Time{}, queue.Depth{})
	})
}

// An item belongs to the trigger that set its deadline, and a running one to that which it was handed out for.
func TestSurveyByTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		check := func(want [3]int) {
			t.Helper()

			s := q.Survey()
			for trigger, items := range want {
				d := s.Triggers[trigger].Depth
				if got := d.Waiting + d.Running; got != items {
					t.Errorf("%d items of %v, want %d", got, queue.Trigger(trigger), items)
				}
			}
		}

		enqueue(t, q, "a/x", queue.Periodic)
		check([3]int{queue.Periodic: 1})
		enqueue(t, q, "a/x", queue.Manual)
		check([3]int{queue.Manual: 1})

		lease := take(t, q)
		enqueue(t, q, "a/x", queue.Signal)
		check([3]int{queue.Manual: 1})
		lease.Succeed()
		check([3]int{queue.Signal: 1})
	})
}

// Whatever the queue has been through, a survey sees what a list of all items shows.
func TestSurveySeesEveryItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		random := rand.New(rand.NewPCG(1, 2))

		for round := range 20 {
			churn(t, q, random)

			want, tenants := sum(q.Items())
			got := q.Survey("t0", "nobody", "t4")

			if got.Part != want || got.Tenants[0].Part != tenants["t0"] || got.Tenants[2].Part != tenants["t4"] ||
				got.Tenants[1] != (queue.TenantPart{}) {
				t.Fatalf("round %d: %+v, want %+v and of the tenants %+v", round, got, want, tenants)
			}

			var triggers queue.Depth
			for _, part := range got.Triggers {
				triggers = plus(triggers, part.Depth)
			}

			if triggers != want.Depth || want.Depth != q.Depth() {
				t.Fatalf("round %d: %+v of the triggers, %+v in all, counted as %+v", round, triggers, want.Depth, q.Depth())
			}
		}
	})
}

// churn lets all kinds of things happen to some thousands of items, which are more than a survey looks at in one go.
func churn(t *testing.T, q *queue.Queue, random *rand.Rand) {
	t.Helper()

	for range 3000 {
		service := fmt.Sprintf("t%d/%d", random.IntN(7), random.IntN(1000))

		switch random.IntN(8) {
		case 0:
			q.Forget(service)
		case 1:
			q.Postpone(service, time.Now().Add(time.Minute))
		case 2:
			if lease := q.TryGet(); lease != none {
				complete(lease, random)
			}
		default:
			enqueue(t, q, service, queue.Triggers()[random.IntN(3)])
		}

		pass(time.Millisecond)
	}
}

// complete completes a lease somehow, or not at all.
func complete(lease queue.Lease, random *rand.Rand) {
	switch random.IntN(5) {
	case 0:
		lease.Succeed()
	case 1:
		lease.Retry(errTrouble)
	case 2:
		lease.Fail(errTrouble)
	case 3:
		lease.Release()
	}
}

// sum adds items up, all and by tenant.
func sum(items []queue.Item) (all queue.Part, tenants map[string]queue.Part) {
	tenants = make(map[string]queue.Part)

	for _, it := range items {
		tenant, _, _ := strings.Cut(it.Service, "/")
		part := tenants[tenant]

		for _, to := range []*queue.Part{&all, &part} {
			to.Depth = plus(to.Depth, queue.Depth{
				Waiting: one(it.State == queue.Waiting), Running: one(it.State == queue.Running),
				BackingOff: one(it.State == queue.BackingOff), Failed: one(it.State == queue.Failed),
			})

			if it.State != queue.Failed && (to.Oldest.IsZero() || it.Enqueued.Before(to.Oldest)) {
				to.Oldest = it.Enqueued
			}
		}

		tenants[tenant] = part
	}

	return all, tenants
}

func one(yes bool) int {
	if yes {
		return 1
	}

	return 0
}

func plus(a, b queue.Depth) queue.Depth {
	return queue.Depth{
		Waiting: a.Waiting + b.Waiting, Running: a.Running + b.Running,
		BackingOff: a.BackingOff + b.BackingOff, Failed: a.Failed + b.Failed,
	}
}

// The metric of the oldest covers what runs and what backs off, and not what was given up.
func TestMetricOfTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		registry := prometheus.NewPedanticRegistry()
		if err := q.Register(registry); err != nil {
			t.Fatal(err)
		}

		check := func(oldest, ready float64) {
			t.Helper()

			got := gather(t, registry)
			want := map[string]float64{"oldest_seconds{}": oldest, "oldest_ready_seconds{}": ready}

			for series := range got {
				if _, wanted := want[series]; !wanted {
					delete(got, series)
				}
			}

			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}

		check(0, 0)
		enqueue(t, q, "a/x", queue.Signal)
		pass(10 * time.Second)
		check(10, 10)

		lease := take(t, q)
		pass(10 * time.Second)
		check(20, 0)
		lease.Retry(errTrouble)
		pass(time.Second / 2)
		check(20.5, 0)
		pass(time.Second / 2)
		check(21, 21)
		take(t, q).Fail(errTrouble)
		check(0, 0)
	})
}

// BenchmarkSurvey measures a look at as many items.
func BenchmarkSurvey(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			q := benchQueue(b)
			for _, key := range keys(n) {
				add(b, q, key)
			}

			names := make([]string, 0, 100)
			for _, t := range q.Tenants(cap(names)) {
				names = append(names, t.Tenant)
			}

			for b.Loop() {
				q.Survey(names...)
			}
		})
	}
}
