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
