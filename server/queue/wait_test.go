package queue

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// gets are calls of Get, one step at a time: those that wait, and the leases that came of the others.
type gets struct {
	queue   *Queue
	waiting []*waiter
	leases  []Lease
}

// look is the next step of a Get: of a new one when w is nil.
func (g *gets) look(w *waiter) {
	var lease Lease

	waits := g.queue.look(w, &lease)
	if waits != nil {
		g.waiting = append(g.waiting, waits)
	} else if lease.run != nil {
		g.leases = append(g.leases, lease)
	}
}

// woken returns the places of those that have a token.
func (g *gets) woken() []int {
	var woken []int

	for i, w := range g.waiting {
		if len(w.woken) > 0 {
			woken = append(woken, i)
		}
	}

	return woken
}

// take removes and returns one of those that wait.
func (g *gets) take(i int) *waiter {
	w := g.waiting[i]
	g.waiting = slices.Delete(g.waiting, i, i+1)

	return w
}

// However Gets come, look, and go, one is awake while something is ready and others wait; and only one.
func TestSomebodyIsCalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, err := New(Default())
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()

		g := &gets{queue: q}

		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				if _, err := q.Enqueue(&Request{Service: fmt.Sprintf("a/%d", rapid.IntRange(0, 9).Draw(t, "service"))}); err != nil {
					t.Fatal(err)
				}
			},
			"begin": func(*rapid.T) { g.look(nil) },
			"wake": func(t *rapid.T) {
				woken := g.woken()
				if len(woken) == 0 {
					t.Skip("nobody has been called")
				}

				w := g.take(woken[0])
				<-w.woken
				g.look(w)
			},
			"give up": func(t *rapid.T) {
				if len(g.waiting) == 0 {
					t.Skip("nobody waits")
				}

				q.leave(g.take(rapid.IntRange(0, len(g.waiting)-1).Draw(t, "who")))
			},
			"complete": func(t *rapid.T) {
				if len(g.leases) == 0 {
					t.Skip("nothing runs")
				}

				i := rapid.IntRange(0, len(g.leases)-1).Draw(t, "which")
				g.leases[i].Succeed()
				g.leases = slices.Delete(g.leases, i, i+1)
			},
			"pause": func(t *rapid.T) {
				if _, err := q.Pause(Pause{Scope: Evaluating, Author: "a", Reason: "b"}); err != nil {
					t.Fatal(err)
				}
			},
			"resume": func(*rapid.T) { _, _ = q.Resume(Evaluating) },
			"": func(t *rapid.T) {
				if err := q.Check(); err != nil {
					t.Fatal(err)
				}

				if woken := len(g.woken()); woken > 1 {
					t.Fatalf("%d are awake at once", woken)
				}
			},
		})
	})
}

// Those that wait are all told that there will be nothing any more, also who was called at that moment.
func TestAllAreCalledAtTheEnd(t *testing.T) {
	q, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}

	g := &gets{queue: q}
	for range 3 {
		g.look(nil)
	}

	if _, err := q.Enqueue(&Request{Service: "a/x"}); err != nil {
		t.Fatal(err)
	}

	q.Close()

	if woken := len(g.woken()); woken != 3 {
		t.Fatalf("%d of 3 are awake", woken)
	}

	for len(g.waiting) > 0 {
		w := g.take(0)
		<-w.woken
		g.look(w)
	}

	if len(g.leases) > 0 {
		t.Fatal("handed out after the end")
	}
}

// A Get that is woken for the last of the items, and gives up, wakes another only if there is something for it.
func TestGivingUpPassesTheCallOn(t *testing.T) {
	q, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()

	g := &gets{queue: q}
	g.look(nil)
	g.look(nil)

	if _, err := q.Enqueue(&Request{Service: "a/x"}); err != nil {
		t.Fatal(err)
	}

	woken := g.woken()
	q.leave(g.take(woken[0]))

	if len(g.woken()) != 1 {
		t.Fatal("nobody is called although an item is ready")
	}
}
