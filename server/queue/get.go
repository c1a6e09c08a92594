package queue

import (
	"context"
	"fmt"
)

// Get waits for the next item and hands it out. The error is the context's, or ErrShutDown when the queue is drained or
// closed. The lease must be completed; until then the item is not handed out again.
func (q *Queue) Get(ctx context.Context) (Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			q.signal()

			return Lease{}, fmt.Errorf("queue: wait for an item: %w", err)
		}

		lease, open := q.tryGet()

		switch {
		case !open:
			return Lease{}, ErrShutDown
		case lease.run != nil:
			return lease, nil
		}

		select {
		case <-q.wake:
		case <-ctx.Done():
		case <-q.stopping:
		}
	}
}

// tryGet returns the zero lease when nothing is ready, and false when nothing will be handed out any more.
func (q *Queue) tryGet() (lease Lease, open bool) {
	// It takes a while, in which others need not wait.
	reading := q.clock.read()

	q.mu.Lock()
	defer q.unlock()

	if q.stopped {
		return Lease{}, false
	}

	if q.storage.size == 0 {
		return Lease{}, true
	}

	at := q.tick(reading)
	if q.opens(at) > at {
		q.setAlarm(at)

		return Lease{}, true
	}

	lease = q.handOut(at)

	q.rouse = q.storage.size > 0

	return lease, true
}

// handOut takes the next item from the base queue, which must have one.
func (q *Queue) handOut(at int64) Lease {
	q.storage.now = at
	it, _ := q.base.Get()

	r := q.runs.begin()
	r.item, r.triggers, r.revision = it, it.wanted, it.revision
	r.started, r.due, r.class = at, it.due, it.class
	q.pass(r)

	lease := Lease{queue: q, run: r, id: r.id, service: it.service, revision: r.revision, attempts: it.attempts()}

	it.wanted, it.revision, it.run = records{}, 0, r
	it.lies = aside
	q.setState(it, Running)

	// What is tried again is left out: it has waited for its backoff.
	if lease.attempts == 0 {
		q.stats.wait[r.class].observe(q.clock.day(at) - r.triggers.enqueued())
	}

	return lease
}
