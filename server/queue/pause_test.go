package queue_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// pause orders a pause that ends after the given time, or not at all when that is zero.
func pause(t *testing.T, q *queue.Queue, scope queue.Scope, after time.Duration) queue.Pause {
	t.Helper()

	p := queue.Pause{Scope: scope, Author: "ann", Reason: "a change"}
	if after > 0 {
		p.Until = time.Now().Add(after)
	}

	ordered, err := q.Pause(p)
	if err != nil {
		t.Fatal(err)
	}

	return ordered
}

// getAfter gets the next item, which must come after exactly that time.
func getAfter(t *testing.T, q *queue.Queue, want time.Duration) queue.Lease {
	t.Helper()

	start := time.Now()

	lease, err := q.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if waited := time.Since(start); waited != want {
		t.Fatalf("%s was handed out after %v, want %v", lease.Service(), waited, want)
	}

	return lease
}

func TestPauseEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		pause(t, q, queue.Evaluating, time.Hour)
		nothing(t, q)
		getAfter(t, q, time.Hour)

		if pauses := q.Pauses(); len(pauses) != 0 {
			t.Fatalf("%+v, want no pause", pauses)
		}
	})
}

// What comes during a pause waits for its end, too.
func TestEnqueueDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		pause(t, q, queue.Evaluating, time.Minute)
		time.AfterFunc(10*time.Second, func() { enqueue(t, q, "a/x", queue.Manual) })
		getAfter(t, q, time.Minute)
	})
}

func TestResumeWakes(t *testing.T) {
	for name, until := range map[string]time.Duration{"without end": 0, "with end": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t)
				enqueue(t, q, "a/x", queue.Signal)
				ordered := pause(t, q, queue.Evaluating, until)

				time.AfterFunc(time.Minute, func() {
					if ended, paused := q.Resume(queue.Evaluating); !paused || !samePause(ended, ordered) {
						t.Errorf("Resume = %+v, %v; want %+v", ended, paused, ordered)
					}
				})
				getAfter(t, q, time.Minute)

				if _, paused := q.Resume(queue.Evaluating); paused {
					t.Error("resumed what was not paused")
				}
			})
		})
	}
}

// The latest pause of a scope is the one in force, whether it is the shorter or the longer.
func TestPauseTakesThePlaceOfAnother(t *testing.T) {
	for _, until := range []time.Duration{time.Second, time.Hour} {
		t.Run(until.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t)
				enqueue(t, q, "a/x", queue.Signal)
				pause(t, q, queue.Evaluating, time.Minute)

				var getting sync.WaitGroup

				getting.Go(func() { getAfter(t, q, until) })
				synctest.Wait()
				pause(t, q, queue.Evaluating, until)
				getting.Wait()
			})
		})
	}
}

func TestPauseLeavesAloneWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)
		lease := take(t, q)
		pause(t, q, queue.Evaluating, time.Minute)

		if again, _ := lease.Retry(errTrouble); time.Until(again) != time.Second {
			t.Fatalf("again after %v, want a second", time.Until(again))
		}

		if lease := getAfter(t, q, time.Minute); lease.Attempts() != 1 {
			t.Fatalf("%d attempts, want 1", lease.Attempts())
		}
	})
}

func TestAcceptingPauseRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/known", queue.Signal)
		pause(t, q, queue.Accepting, time.Minute)

		refused := func(service string, wait time.Duration) {
			t.Helper()

			r := queue.Request{Service: service, Trigger: queue.Signal}
			_, err := q.Enqueue(&r)
			_, previewErr := q.Preview(&r)

			for _, err := range []error{err, previewErr} {
				refused, is := errors.AsType[*queue.RefusedError](err)
				if !is || !errors.Is(err, queue.ErrPaused) || refused.RetryAfter != wait {
					t.Fatalf("%s: %v, want paused for %v", service, err, wait)
				}

				if text := err.Error(); !strings.Contains(text, "ann") || !strings.Contains(text, "a change") {
					t.Fatalf("%q names neither who nor why", text)
				}
			}
		}

		refused("a/known", time.Minute)
		refused("a/new", time.Minute)
		takeNamed(t, q, "a/known").Release()

		pass(20 * time.Second)
		refused("a/new", 40*time.Second)

		// Nobody is told to come back at once, or never.
		pass(40*time.Second - 1)
		refused("a/new", time.Second)
		pass(1)
		enqueue(t, q, "a/new", queue.Signal)

		pause(t, q, queue.Accepting, 0)
		refused("a/new", time.Second)
		pass(1000 * time.Hour)
		refused("a/new", time.Second)

		if _, paused := q.Resume(queue.Accepting); !paused {
			t.Fatal("the pause has ended by itself")
		}

		enqueue(t, q, "a/new", queue.Signal)

		for _, stats := range q.Stats().Triggers {
			if stats.Trigger == queue.Signal && stats.Refused != 6 {
				t.Errorf("%d refusals counted, want 6", stats.Refused)
			}
		}
	})
}

func TestEvaluatingPauseTakesIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		pause(t, q, queue.Evaluating, 0)

		if r := enqueue(t, q, "a/x", queue.Signal); r.Outcome != queue.Queued {
			t.Fatalf("%+v, want queued", r)
		}

		pass(1000 * time.Hour)
		nothing(t, q)
	})
}

// Whoever waits at the end of a pause is served, as far as there is work, and nothing else need happen.
func TestManyWaitForTheEndOfAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 20

		q := newQueue(t)
		for i := range workers {
			enqueue(t, q, fmt.Sprintf("a/%d", i), queue.Periodic)
		}

		pause(t, q, queue.Evaluating, time.Hour)

		var getting sync.WaitGroup
		for range workers {
			getting.Go(func() { getAfter(t, q, time.Hour) })
		}

		getting.Wait()

		if d := q.Depth(); d.Running != workers {
			t.Fatalf("%+v, want all running", d)
		}
	})
}

func TestPausesAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		accepting := pause(t, q, queue.Accepting, time.Minute)

		pass(time.Second)

		evaluating := pause(t, q, queue.Evaluating, 0)

		if evaluating.Since.Sub(accepting.Since) != time.Second {
			t.Fatalf("%+v and %+v do not say since when", accepting, evaluating)
		}

		if pauses := q.Pauses(); len(pauses) != 2 || !samePause(pauses[0], accepting) || !samePause(pauses[1], evaluating) {
			t.Fatalf("%+v, want both", pauses)
		}

		pass(time.Minute)

		if pauses := q.Pauses(); len(pauses) != 1 || !samePause(pauses[0], evaluating) {
			t.Fatalf("%+v, want the one without an end", pauses)
		}
	})
}

// An end that is further away than nanoseconds can count is still an end in the future.
func TestPauseWithAFarEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)
		enqueue(t, q, "a/x", queue.Signal)

		far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, scope := range []queue.Scope{queue.Accepting, queue.Evaluating} {
			if _, err := q.Pause(queue.Pause{Scope: scope, Author: "ann", Reason: "for good", Until: far}); err != nil {
				t.Fatal(err)
			}
		}

		pass(1000 * time.Hour)
		nothing(t, q)

		if _, err := q.Enqueue(&queue.Request{Service: "a/y"}); !errors.Is(err, queue.ErrPaused) {
			t.Fatalf("Enqueue: %v, want %v", err, queue.ErrPaused)
		}
	})
}

func TestInvalidPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t)

		for name, p := range map[string]queue.Pause{
			"scope":  {Scope: 2, Author: "ann", Reason: "a change"},
			"author": {Reason: "a change"},
			"reason": {Author: "ann"},
			"blanks": {Author: " ", Reason: "a change"},
			"space":  {Author: "ann", Reason: "\t "},
			"end":    {Author: "ann", Reason: "a change", Until: time.Now()},
		} {
			if _, err := q.Pause(p); !errors.Is(err, queue.ErrInvalidPause) {
				t.Errorf("%s: %v, want %v", name, err, queue.ErrInvalidPause)
			}
		}

		if _, paused := q.Resume(2); paused {
			t.Error("a scope that does not exist was paused")
		}

		enqueue(t, q, "a/x", queue.Signal)
		take(t, q)
	})
}
