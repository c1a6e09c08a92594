package queue_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// What says again what was said before is mostly only counted. These are the cases in which there is more to it.

func TestRepeatIsRefusedAfterTheEnd(t *testing.T) {
	q := newQueue(t)
	enqueue(t, q, "a/x", queue.Signal)
	q.Close()

	_, err := q.Enqueue(&queue.Request{Service: "a/x", Trigger: queue.Signal, Source: "test"})
	if !errors.Is(err, queue.ErrShuttingDown) {
		t.Errorf("error is %v, want %v", err, queue.ErrShuttingDown)
	}
}

func TestRepeatIsRefusedDuringAPause(t *testing.T) {
	q := newQueue(t)
	enqueue(t, q, "a/x", queue.Signal)

	if _, err := q.Pause(queue.Pause{Scope: queue.Accepting, Author: "me", Reason: "test"}); err != nil {
		t.Fatal(err)
	}

	_, err := q.Enqueue(&queue.Request{Service: "a/x", Trigger: queue.Signal, Source: "test"})
	if !errors.Is(err, queue.ErrPaused) {
		t.Errorf("error is %v, want %v", err, queue.ErrPaused)
	}
}

// A source whose clock was ahead is put right by one that says when by asking now.
func TestRepeatCannotBeObservedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for _, observed := range []time.Time{time.Now().Add(time.Hour), {}} {
			request := queue.Request{Service: "a/x", Trigger: queue.Signal, Source: "test", Observed: observed}
			if _, err := q.Enqueue(&request); err != nil {
				t.Fatal(err)
			}
		}

		if r := item(t, q).Triggers[0]; !r.Observed.Equal(time.Now()) || r.Count != 2 {
			t.Errorf("%+v, want observed now and counted twice", r)
		}
	})
}

// An item that waits for a dependency is due later than it was asked for, by its class; who asks again may be earlier.
func TestRepeatMovesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, func(cfg *queue.Config) {
			cfg.Breaker.Dependencies, cfg.Breaker.Threshold = []string{usage}, 1
		})
		enqueue(t, q, "a/x", queue.Periodic)
		pass(queue.Default().Slack.Periodic + time.Second) // it is overdue, and stays of its class
		enqueue(t, q, "a/x", queue.Signal)
		take(t, q).Unavailable(usage, errTrouble)

		if result := enqueue(t, q, "a/x", queue.Signal); result.Outcome != queue.MovedUp {
			t.Errorf("outcome is %v, want %v", result.Outcome, queue.MovedUp)
		}
	})
}
