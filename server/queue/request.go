package queue

import "time"

// Request is the wish that a service be evaluated.
type Request struct {
	// Service is the service's key, "tenant/name".
	Service string
	// Trigger is why.
	Trigger Trigger
	// Source is the name of who asks.
	Source string
	// Detail is what the source saw, in its own words.
	Detail string
	// Observed is when the source saw it, by its own clock; the time of the call when zero.
	Observed time.Time
	// Accepted means that the wish is written down already: neither a pause nor want of room keeps it out. Who writes it
	// down takes Room for it before.
	Accepted bool
	// Revision is the store's revision under which the wish was accepted. An item keeps the highest.
	Revision int64
}

// valid reports whether there is enough in it.
func (r *Request) valid() bool {
	return r.Service != "" && r.Trigger.valid()
}

// Outcome is what became of a Request.
type Outcome uint8

// The outcomes.
const (
	// Queued means that the service was not waiting and now is, or that it is being evaluated and will be once more, no more
	// urgently.
	Queued Outcome = iota
	// Merged means that it was waiting already.
	Merged
	// MovedUp means that it was waiting already and is now due earlier, or that it is being evaluated for something less
	// urgent and will be once more.
	MovedUp
	// Deferred means that it has failed and will run when it is due, not earlier.
	Deferred
)

// outcomeCount is the number of outcomes.
const outcomeCount = 4

// String returns the outcome's name in lower case.
func (o Outcome) String() string {
	switch o {
	case Queued:
		return "queued"
	case Merged:
		return "merged"
	case MovedUp:
		return "moved_up"
	case Deferred:
		return "deferred"
	default:
		return unknown
	}
}

// Result is the answer to a Request.
type Result struct {
	// Outcome is what became of it.
	Outcome Outcome
	// Due is the item's deadline, or for Deferred the end of its backoff.
	Due time.Time
	// Attempts is the number of failures in a row so far.
	Attempts int
}

// Record is one trigger of an item, or several of one source merged.
type Record struct {
	// Trigger is why.
	Trigger Trigger
	// Source is who asked.
	Source string
	// Detail is what the source saw, in the words of its latest request that had any.
	Detail string
	// Observed is when the source first saw it, by the source's clock.
	Observed time.Time
	// Enqueued is when the first request came.
	Enqueued time.Time
	// Count is the number of requests.
	Count int
}
