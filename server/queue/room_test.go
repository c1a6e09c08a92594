package queue_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// roomy returns a queue with room for so many items of signals; of the others it takes less.
func roomy(t *testing.T, items int) *queue.Queue {
	t.Helper()

	return newQueue(t, func(cfg *queue.Config) { cfg.MaxItems = items })
}

func signal(service string) *queue.Request {
	return &queue.Request{Service: service, Trigger: queue.Signal, Source: "test"}
}

// Room that somebody holds is not there for others, and comes back when it is not used.
func TestRoomIsKept(t *testing.T) {
	q := roomy(t, 2)
	enqueue(t, q, "a/first", queue.Signal)

	room := q.Room()
	if err := room.Admit(signal("a/second")); err != nil {
		t.Fatal(err)
	}

	for name, refused := range map[string]error{
		"enqueue": second(q.Enqueue(signal("a/third"))),
		"preview": second(q.Preview(signal("a/third"))),
		"admit":   q.Room().Admit(signal("a/third")),
	} {
		if !errors.Is(refused, queue.ErrFull) {
			t.Errorf("%s: error is %v, want %v", name, refused, queue.ErrFull)
		}
	}

	room.Close()
	room.Close()
	enqueue(t, q, "a/third", queue.Signal)
}

func second[T any](_ T, err error) error { return err }

// A service that waits already needs no room.
func TestRoomIsForWhatIsNew(t *testing.T) {
	q := roomy(t, 2)
	enqueue(t, q, "a/first", queue.Signal)

	room := q.Room()
	defer room.Close()

	for range 5 {
		if err := room.Admit(signal("a/first")); err != nil {
			t.Fatal(err)
		}
	}

	if err := room.Admit(signal("a/second")); err != nil {
		t.Fatal(err)
	}
}

func TestRoomForAll(t *testing.T) {
	const limit = 90 // of the sweep, which is refused first

	q := roomy(t, 100)
	room := q.Room()

	if room.TryAll(limit+1) || !room.TryAll(limit) || room.TryAll(1) {
		t.Errorf("there is room for more or less than %d", limit)
	}

	room.Close()
	pause(t, q, queue.Accepting, time.Minute)

	if room := q.Room(); room.TryAll(1) {
		t.Error("there is room during a pause")
	}
}

// Refusals are counted where a request is refused that would have been taken; a question is none.
func TestRefusalsAreCounted(t *testing.T) {
	q := roomy(t, 1)
	enqueue(t, q, "a/first", queue.Signal)

	_, _ = q.Enqueue(signal("a/second"))
	_ = q.Room().Admit(signal("a/second"))
	_, _ = q.Preview(signal("a/second"))

	for _, of := range q.Stats().Triggers {
		if of.Trigger == queue.Signal && of.Refused != 2 {
			t.Errorf("%d refusals, want 2", of.Refused)
		}
	}
}

// However many write requests down at the same time, there are never more items than there is room for.
func TestRoomIsNotGivenTwice(t *testing.T) {
	const writers, requests, items = 8, 200, 500

	q := roomy(t, items)

	var writing sync.WaitGroup

	for w := range writers {
		writing.Go(func() {
			for i := range requests {
				one := signal(fmt.Sprintf("a/%d-%d", w, i))

				room := q.Room()
				if room.Admit(one) == nil {
					one.Accepted = true
					_, _ = q.Enqueue(one)
				}

				room.Close()
			}
		})
	}

	writing.Wait()

	if depth := q.Depth(); depth.Waiting != items {
		t.Errorf("%d items wait, want %d", depth.Waiting, items)
	}
}
