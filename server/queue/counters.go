package queue

import "time"

// completion is how a lease was completed.
type completion uint8

const (
	outcomeSucceeded completion = iota
	outcomeRetried
	outcomeFailed
	outcomeReleased
	completionCount
)

// counters are kept with plain additions under Queue.mu and read when somebody asks.
type counters struct {
	depth     [stateCount]int
	requests  [triggerCount][outcomeCount]uint64
	refused   [triggerCount]uint64
	completed [completionCount]uint64
	wait      [triggerCount]histogram
	// jumped counts runs that did not wait for their backoff because a person asked.
	jumped uint64
	gaveUp uint64
	stray  uint64
}

// handedOut notes how long an item waited. What is tried again is left out, it waits for its backoff.
func (c *counters) handedOut(l *Lease) {
	if l.attempts == 0 {
		c.wait[l.class].observe(l.started.Sub(l.Enqueued()))
	}
}

// waitBounds are the upper bounds of the buckets of the wait time.
var waitBounds = [...]time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second,
	5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
}

// histogram counts durations; the last bucket has those above every bound.
type histogram struct {
	buckets [len(waitBounds) + 1]uint64
	sum     time.Duration
}

func (h *histogram) observe(d time.Duration) {
	bucket := 0
	for bucket < len(waitBounds) && d > waitBounds[bucket] {
		bucket++
	}

	h.buckets[bucket]++
	h.sum += max(0, d)
}
