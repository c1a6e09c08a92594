package queue

import (
	"context"
	"time"
)

// Get waits for the next item and hands it out. The error is the context's, or ErrShutDown when the queue is drained or
// closed. The lease must be completed; until then the item is not handed out again.
func (q *Queue) Get(ctx context.Context) (*Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			q.signal()

			return nil, err
		}

		if lease, err := q.tryGet(); lease != nil || err != nil {
			return lease, err
		}

		select {
		case <-q.wake:
		case <-ctx.Done():
		case <-q.stopping:
		}
	}
}

// tryGet returns neither a lease nor an error when nothing is ready.
func (q *Queue) tryGet() (*Lease, error) {
	now := time.Now()

	q.mu.Lock()
	defer q.mu.Unlock()

	if q.stopped {
		return nil, ErrShutDown
	}

	if q.storage.Len() == 0 {
		return nil, nil
	}

	lease := q.handOut(now)

	if q.storage.Len() > 0 {
		q.signal()
	}

	return lease, nil
}

// handOut takes the next item from the base queue, which must have one.
func (q *Queue) handOut(now time.Time) *Lease {
	q.storage.now = q.at(now)
	it, _ := q.base.Get()

	lease := &Lease{
		queue: q, item: it, triggers: it.wanted, started: now,
		due: it.due, class: it.class, revision: it.revision,
	}
	if it.history == nil {
		it.history = &lease.history
	}

	lease.attempts = it.history.attempts
	it.history.lease = lease
	it.wanted, it.revision = records{}, 0
	it.lies = aside
	q.setState(it, Running)
	q.leases.add(lease)
	q.stats.handedOut(lease)

	return lease
}
