package queue

import "time"

// completion is how a lease was completed.
type completion uint8

const (
	succeeded completion = iota
	retried
	failed
	released
	unavailable
	completionCount
)

// counters are kept with plain additions under Queue.mu and read when somebody asks.
type counters struct {
	// repeats are the requests that were only counted. They are not among requests.
	repeats   [triggerCount]uint64
	depth     [stateCount]int
	completed [completionCount]uint64
	requests  [triggerCount][outcomeCount]uint64
	refused   [triggerCount]uint64
	wait      [triggerCount]histogram
	jumped    uint64
	gaveUp    uint64
	stray     uint64
}

func (c *counters) export(t Trigger, ready int) TriggerStats {
	return TriggerStats{
		Trigger:  t,
		Ready:    ready,
		Queued:   c.requests[t][Queued],
		Merged:   c.requests[t][Merged] + c.repeats[t],
		MovedUp:  c.requests[t][MovedUp],
		Deferred: c.requests[t][Deferred],
		Refused:  c.refused[t],
		Wait:     c.wait[t].export(),
	}
}

// noteWait notes how long each of the triggers of an item has waited that is handed out.
func (c *counters) noteWait(triggers *records, now int64) {
	for at := &triggers.first; at != nil; at = at.next {
		// The first of a trigger is the oldest.
		if at == &triggers.first || triggers.firstOf(at.trigger) == at {
			c.wait[at.trigger].observe(now - at.enqueued)
		}
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

func (h *histogram) observe(nanoseconds int64) {
	d := time.Duration(max(0, nanoseconds))

	bucket := 0
	for bucket < len(waitBounds) && d > waitBounds[bucket] {
		bucket++
	}

	h.buckets[bucket]++
	h.sum += d
}

func (h *histogram) export() Histogram {
	out := Histogram{Sum: h.sum.Seconds()}

	for bucket, count := range h.buckets {
		out.Count += count

		if bucket < len(waitBounds) {
			out.Bounds = append(out.Bounds, waitBounds[bucket].Seconds())
			out.Counts = append(out.Counts, out.Count)
		}
	}

	return out
}
