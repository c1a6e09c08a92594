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
	// Again is when it is tried again; zero for at once, and for never when it was given up.
	Again time.Time
}

// Past returns what is known of the item's failures.
func (i *Item) Past() Past {
	past := Past{Attempts: i.Attempts, LastError: i.LastError, GaveUp: i.State == Failed}
	if i.State == BackingOff || i.State == Failed {
		past.Again = i.Due
	}

	return past
}

// Restore takes in what was accepted before by another queue, together with what was known of its failures there. There is
// room for it however full the queue is, and no pause keeps it out. What the queue knows already of a service that runs or
// has failed is newer and stays. The error is ErrInvalidRequest, or a *RefusedError of a queue that was stopped.
func (q *Queue) Restore(r *Request, past Past) error {
	hash := q.items.hash(r.Service)

	q.lock()
	defer q.unlock()

	switch {
	case !r.valid():
		return ErrInvalidRequest
	case q.stopped:
		return &RefusedError{Reason: ErrShuttingDown, RetryAfter: q.cfg.RetryAfter}
	}

	at := q.now()

	it := q.items.find(r.Service, hash)
	if it == nil {
		it = q.begin(r, hash, at)
	} else {
		q.merge(it, r, at)
	}

	if past.Attempts > 0 && it.ready() {
		q.setBack(it, &past, at)
	}

	return nil
}

// setBack puts an item that is ready where its past failures put it.
func (q *Queue) setBack(it *item, past *Past, at int64) {
	q.withdraw(it)

	it.history = &history{attempts: past.Attempts, lastError: past.LastError, deadline: it.due}

	switch {
	case !past.GaveUp:
		q.delayUntil(it, q.clock.at(past.Again), BackingOff)
	case past.Again.IsZero():
		it.history.probe = at + int64(q.cfg.Backoff.Cap)
		q.setState(it, Failed)
	default:
		it.history.probe = q.clock.at(past.Again)
		q.delayUntil(it, it.history.probe, Failed)
	}
}
