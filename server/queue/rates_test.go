package queue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// within fails the test when a rate is not near what is wanted.
func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()

	if got < want*(1-share) || got > want*(1+share) {
		t.Errorf("%v %s a second, want about %v", got, what, want)
	}
}

func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		if s := q.Stats(); s.TakenPerSecond != 0 || s.EndedPerSecond != 0 {
			t.Fatalf("%v and %v before anything happened", s.TakenPerSecond, s.EndedPerSecond)
		}

		// Ten a second come, every other one in vain, and five end.
		for i := range 1500 {
			enqueue(t, q, fmt.Sprintf("a/%d", i/2), queue.Signal)

			if i%2 == 1 {
				take(t, q).Succeed()
			}

			pass(100 * time.Millisecond)

			if seconds := (i + 1) / 10; seconds == 30 || seconds == 150 {
				s := q.Stats()
				within(t, "taken", s.TakenPerSecond, 10, 0.04)
				within(t, "ended", s.EndedPerSecond, 5, 0.04)
			}
		}

		// Half of the last minute was quiet.
		pass(30 * time.Second)
		within(t, "taken", q.Stats().TakenPerSecond, 5, 0.08)
		pass(31 * time.Second)

		if s := q.Stats(); s.TakenPerSecond != 0 || s.EndedPerSecond != 0 {
			t.Errorf("%v and %v a second after a quiet minute", s.TakenPerSecond, s.EndedPerSecond)
		}
	})
}

// What comes after a long silence counts for the minute, not for the silence.
func TestRatesAfterASilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		pass(24 * time.Hour)

		for i := range 600 {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Signal)
		}

		within(t, "taken", q.Stats().TakenPerSecond, 10, 0)
		pass(59 * time.Second)
		within(t, "taken", q.Stats().TakenPerSecond, 10, 0)
		pass(time.Second)

		if taken := q.Stats().TakenPerSecond; taken != 0 {
			t.Errorf("%v a second after a quiet minute", taken)
		}
	})
}

// What is said again and again counts too.
func TestRateOfRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		pass(time.Hour)

		for range 1200 {
			enqueue(t, q, "a/x", queue.Periodic)
			pass(100 * time.Millisecond)
		}

		if s := q.Stats(); s.TakenPerSecond < 9 || s.TakenPerSecond > 11 {
			t.Errorf("%v a second, want 10", s.TakenPerSecond)
		}
	})
}

// Each trigger has its own rates: of the requests it made, and of the evaluations it was a reason for.
func TestRatesOfTriggers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		pass(time.Hour)

		// A second, three signals come for the same, of which one is repeated, and one sweep for another.
		for i := range 120 {
			for range 3 {
				enqueue(t, q, "a/x", queue.Signal)
			}

			enqueue(t, q, fmt.Sprintf("b/%d", i), queue.Periodic)
			takeNamed(t, q, "a/x").Succeed()
			pass(time.Second)
		}

		stats := q.Stats()
		within(t, "taken", stats.TakenPerSecond, 4, 0.02)

		for _, want := range []struct {
			trigger        queue.Trigger
			taken, started float64
		}{{queue.Signal, 3, 1}, {queue.Manual, 0, 0}, {queue.Periodic, 1, 0}} {
			for _, s := range stats.Triggers {
				if s.Trigger == want.trigger {
					within(t, "taken of "+want.trigger.String(), s.TakenPerSecond, want.taken, 0.02)
					within(t, "started of "+want.trigger.String(), s.StartedPerSecond, want.started, 0.02)
				}
			}
		}
	})
}

// Each tenant has its own rates: of the items that came, and of those that left.
func TestRatesOfTenants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		check := func(tenant string, came, left float64) {
			t.Helper()

			part := q.Survey(tenant).Tenants[0]
			within(t, "came of "+tenant, part.CamePerSecond, came, 0.02)
			within(t, "left of "+tenant, part.LeftPerSecond, left, 0.02)
		}

		check("a", 0, 0)

		// A second, ten items of a come and four leave: three are evaluated and one is forgotten, while one that fails stays.
		// Of b one comes.
		for i := range 150 {
			for j := range 10 {
				enqueue(t, q, fmt.Sprintf("a/%d-%d", i, j), queue.Signal)
				enqueue(t, q, fmt.Sprintf("a/%d-%d", i, j), queue.Signal) // which makes no other
			}

			for range 3 {
				take(t, q).Succeed()
			}

			take(t, q).Fail(errTrouble)
			q.Forget(fmt.Sprintf("a/%d-9", i))
			enqueue(t, q, fmt.Sprintf("b/%d", i), queue.Periodic)
			pass(time.Second)

			if i == 29 || i > 60 {
				check("a", 10, 4)
				check("b", 1, 0)
			}
		}

		// A third of the last minute was quiet, then all of it.
		pass(20 * time.Second)
		check("a", 10*2./3, 4*2./3)
		pass(20 * time.Second)
		check("a", 10/3., 4/3.)
		pass(30 * time.Second)
		check("a", 0, 0)
		check("b", 0, 0)

		// What comes after a silence is alone.
		pass(24 * time.Hour)
		enqueue(t, q, "a/x", queue.Signal)
		check("a", 1/60., 0)
	})
}
