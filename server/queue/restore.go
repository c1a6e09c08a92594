package queue

import "time"

// Past is what is known of a service's failures.
type Past struct {
	// Attempts is the number of failures in a row.
	Attempts int
	// LastError is the latest of them.
	LastError string
	// GaveUp means that the item is Failed.
	GaveUp bool
	// Again is when it is due again unless it was given up.
	Again time.Time
}

// Restore takes in what was in another queue, together with what was known of its failures there. The error is Enqueue's.
func (q *Queue) Restore(r Request, past Past) error {
	if _, err := q.Enqueue(r); err != nil {
		return err
	}

	if past.Attempts <= 0 {
		return nil
	}

	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.find(r.Service)
	if it == nil || it.lies != ready || q.stopped {
		return nil // a worker was faster, or the queue is at its end
	}

	q.withdraw(it)

	it.history = &history{attempts: past.Attempts, lastError: past.LastError, deadline: it.due}

	if past.GaveUp {
		it.history.probe = q.now() + int64(q.cfg.Backoff.Cap)
		q.setState(it, Failed)
	} else {
		q.delayUntil(it, q.clock.at(past.Again), BackingOff)
	}

	return nil
}
