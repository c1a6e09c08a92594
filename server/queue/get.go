package queue

import (
	"context"
	"fmt"
)

// Get waits for the next item and hands it out. The error is the context's, or ErrShutDown when the queue is drained or
// closed. The lease must be completed; until then the item is not handed out again.
func (q *Queue) Get(ctx context.Context) (*Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			q.signal()

			return nil, fmt.Errorf("queue: wait for an item: %w", err)
		}

		lease, open := q.tryGet()

		switch {
		case !open:
			return nil, ErrShutDown
		case lease != nil:
			return lease, nil
		}

		select {
		case <-q.wake:
		case <-ctx.Done():
		case <-q.stopping:
		}
	}
}

// tryGet returns no lease when nothing is ready, and false when nothing will be handed out any more.
func (q *Queue) tryGet() (lease *Lease, open bool) {
	// It takes a while, in which others need not wait.
	reading := q.clock.read()

	q.mu.Lock()
	defer q.mu.Unlock()

	if q.stopped {
		return nil, false
	}

	if q.storage.size == 0 {
		return nil, true
	}

	at := q.tick(reading)
	if q.opens(at) > at {
		q.setAlarm(at)

		return nil, true
	}

	lease = q.handOut(at)

	if q.storage.size > 0 {
		q.signal()
	}

	return lease, true
}

// handOut takes the next item from the base queue, which must have one.
func (q *Queue) handOut(at int64) *Lease {
	q.storage.now = at
	it, _ := q.base.Get()

	lease := q.leases.fresh()
	lease.queue, lease.item = q, it
	lease.service, lease.triggers, lease.revision = it.service, it.wanted, it.revision
	lease.started, lease.due, lease.class, lease.attempts = at, it.due, it.class, it.attempts()

	it.wanted, it.revision, it.lease = records{}, 0, lease
	it.lies = aside
	q.setState(it, Running)
	q.leases.add(lease)
	q.pass(lease)

	// What is tried again is left out: it has waited for its backoff.
	if lease.attempts == 0 {
		q.stats.wait[lease.class].observe(q.clock.day(at) - lease.triggers.enqueued())
	}

	return lease
}
