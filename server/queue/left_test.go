package queue

import (
	"testing"
)

// leftCase is a queue in which one service runs.
func leftCase(t *testing.T) (*Queue, Lease) {
	t.Helper()

	q, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(q.Close)
	want(t, q)

	return q, q.TryGet()
}

// want enqueues the service.
func want(t *testing.T, q *Queue) {
	t.Helper()

	if _, err := q.Enqueue(&Request{Service: "a/1", Trigger: Signal}); err != nil {
		t.Fatal(err)
	}
}

// wait begins a Get, for which there must be nothing.
func wait(t *testing.T, q *Queue) *waiter {
	t.Helper()

	var lease Lease

	w := q.look(nil, &lease)
	if w == nil {
		t.Fatalf("got %q, want to wait", lease.Service())
	}

	return w
}

// Nobody else takes the lock after its owner, and it is he who has to see that the last one is done.
func TestOwnerMakesUpAtTheEnd(t *testing.T) {
	q, lease := leftCase(t)
	q.stop()
	q.WhileLocked(lease.Succeed)

	if !idle(q) {
		t.Error("what was left to the owner of the lock was not done")
	}
}

// The owner gives up the lock just when a success is left to him.
func TestSuccessIsNotLeftToNobody(t *testing.T) {
	q, lease := leftCase(t)
	q.stop()
	q.leaveSuccess(lease.run, lease.id)

	if !idle(q) {
		t.Error("what was left to nobody was not done")
	}
}

func idle(q *Queue) bool {
	select {
	case <-q.idle:
		return true
	default:
		return false
	}
}

// Who makes up for a success of what is wanted once more wakes somebody for it: the owner at the end, and a new one at the
// beginning.
func TestWhoMakesUpWakes(t *testing.T) {
	for name, leave := range map[string]func(*Queue, Lease){
		"owner": func(q *Queue, lease Lease) { q.WhileLocked(lease.Succeed) },
		"new owner": func(q *Queue, lease Lease) {
			q.mu.Lock()
			lease.Succeed()
			q.mu.Unlock() // without a look at what was left
			q.WhileLocked(func() {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			q, lease := leftCase(t)
			want(t, q)
			w := wait(t, q)

			leave(q, lease)

			if len(w.woken) != 1 {
				t.Error("nobody was woken")
			}

			if depth := q.Depth(); depth != (Depth{Waiting: 1}) {
				t.Errorf("depth is %+v, want one waiting", depth)
			}
		})
	}
}
