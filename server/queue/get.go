package queue

import (
	"context"
	"fmt"
)

// Get waits for the next item and hands it out. The error is the context's, or ErrShutDown when the queue is drained or
// closed. The lease must be completed; until then the item is not handed out again.
func (q *Queue) Get(ctx context.Context) (lease Lease, err error) {
	if err := ctx.Err(); err != nil {
		return Lease{}, fmt.Errorf("queue: wait for an item: %w", err)
	}

	w := q.look(nil, &lease)

	for w != nil {
		select {
		case <-w.woken:
		case <-ctx.Done():
		}

		if err := ctx.Err(); err != nil {
			q.leave(w)

			return Lease{}, fmt.Errorf("queue: wait for an item: %w", err)
		}

		w = q.look(w, &lease)
	}

	if lease.run == nil {
		return Lease{}, ErrShutDown
	}

	return lease, nil
}

// look hands out an item, or else returns what waits for one: the given waiter, which was woken, or another when that is
// nil. It does neither when nothing will be handed out any more. The lease is written where it is wanted, because copies
// of it are a good part of what a hand-out takes.
func (q *Queue) look(w *waiter, lease *Lease) *waiter {
	// It takes a while, in which others need not wait.
	reading := q.clock.read()

	q.lock()
	defer q.unlock()

	q.waiters.looks(w)

	if q.stopped {
		return nil
	}

	if q.storage.size == 0 {
		return q.waiters.wait(w)
	}

	at := q.tick(reading)
	if q.gated && q.opens(at) > at {
		q.setAlarm(at)

		return q.waiters.wait(w)
	}

	q.waiters.end(w)

	q.rouse = q.storage.size > 1

	q.handOut(at, lease)

	return nil
}

// leave ends the wait of one that looks no more. If it was called, another is called in its place.
func (q *Queue) leave(w *waiter) {
	q.lock()
	defer q.unlock()

	if w.called {
		q.waiters.looks(w)
		q.rouse = q.storage.size > 0

		return // and not used again: the token may be on its way
	}

	q.waiters.leave(w)
	q.waiters.end(w)
}

// handOut takes the next item from the base queue, which must have one.
func (q *Queue) handOut(at int64, lease *Lease) {
	q.storage.now = at
	it, _ := q.base.Get()

	r := q.runs.begin()
	r.triggers = it.wanted
	r.triggers.first.repeatable = false
	r.item, r.revision = it, it.revision
	r.started, r.due, r.class = at, it.due, it.class

	if q.gated {
		q.pass(r)
		lease.probes = r.probes
	}

	attempts := it.attempts()

	it.wanted = records{}
	it.revision, it.run = 0, r.place
	it.lies = aside
	q.setState(it, Running)

	// What is tried again is left out: it has waited for its backoff.
	if attempts == 0 {
		q.stats.noteWait(&r.triggers, q.clock.day(at))
	}

	lease.queue, lease.run, lease.id = q, r, r.id
	lease.service, lease.revision, lease.attempts = it.service, r.revision, attempts
}
