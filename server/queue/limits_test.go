package queue_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/tidemark-project/tidemark/server/queue"
)

// The less urgent a trigger is, the earlier it is refused; what is in the queue is never refused.
func TestFull(t *testing.T) {
	q := newQueue(t, func(cfg *queue.Config) { cfg.MaxItems = 100 })
	items := 0

	for _, limit := range []struct {
		trigger queue.Trigger
		items   int
	}{{queue.Periodic, 90}, {queue.Manual, 95}, {queue.Signal, 100}} {
		for ; items < limit.items; items++ {
			enqueue(t, q, fmt.Sprintf("a/%d", items), limit.trigger)
		}

		request := queue.Request{Service: "a/more", Trigger: limit.trigger}
		_, err := q.Enqueue(&request)
		_, previewErr := q.Preview(&request)

		var refused *queue.RefusedError
		if !errors.As(err, &refused) || !errors.Is(err, queue.ErrFull) || refused.RetryAfter <= 0 {
			t.Fatalf("%v beyond %d items: %v, want a refusal with a delay", limit.trigger, limit.items, err)
		}

		if !errors.Is(previewErr, queue.ErrFull) {
			t.Fatalf("Preview: %v, want full", previewErr)
		}

		enqueue(t, q, "a/0", limit.trigger)
	}

	for _, stats := range q.Stats().Triggers {
		if stats.Refused != 1 {
			t.Errorf("%v: %d refusals counted, want 1", stats.Trigger, stats.Refused)
		}
	}
}

func TestInvalidRequest(t *testing.T) {
	q := newQueue(t)

	for _, r := range []queue.Request{{}, {Service: "a/x", Trigger: 3}} {
		if _, err := q.Enqueue(&r); !errors.Is(err, queue.ErrInvalidRequest) {
			t.Errorf("Enqueue(%+v): %v, want %v", r, err, queue.ErrInvalidRequest)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := queue.Default().Validate(); err != nil {
		t.Fatal(err)
	}

	for name, change := range map[string]func(*queue.Config){
		"signal slack":   func(c *queue.Config) { c.Slack.Signal = -1 },
		"manual slack":   func(c *queue.Config) { c.Slack.Manual = -1 },
		"periodic slack": func(c *queue.Config) { c.Slack.Periodic = -1 },
		"backoff base":   func(c *queue.Config) { c.Backoff.Base = 0 },
		"backoff cap":    func(c *queue.Config) { c.Backoff.Cap = c.Backoff.Base - 1 },
		"backoff limit":  func(c *queue.Config) { c.BackoffLimit = 0 },
		"items":          func(c *queue.Config) { c.MaxItems = 0 },
		"retry after":    func(c *queue.Config) { c.RetryAfter = -1 },
		"threshold":      func(c *queue.Config) { c.Breaker.Threshold = 0 },
		"probe base":     func(c *queue.Config) { c.Breaker.Probe.Base = 0 },
		"probe cap":      func(c *queue.Config) { c.Breaker.Probe.Cap = c.Breaker.Probe.Base - 1 },
		"recovery rate":  func(c *queue.Config) { c.Breaker.RecoveryRate = 0 },
		"no rate":        func(c *queue.Config) { c.Breaker.RecoveryRate = math.NaN() },
		"recovery time":  func(c *queue.Config) { c.Breaker.RecoveryTime = -1 },
	} {
		cfg := queue.Default()
		change(&cfg)

		if _, err := queue.New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What was accepted is taken in even if there is no room any more by then, or a pause has begun.
func TestAcceptedIsNotRefused(t *testing.T) {
	q := newQueue(t, func(cfg *queue.Config) { cfg.MaxItems = 1 })
	enqueue(t, q, "a/first", queue.Signal)
	pause(t, q, queue.Accepting, 0)

	if _, err := q.Enqueue(&queue.Request{Service: "a/more", Accepted: true}); err != nil {
		t.Fatal(err)
	}
}
