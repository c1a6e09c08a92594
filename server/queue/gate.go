package queue

import "math"

// regate looks anew at whether anything keeps items from being handed out, and lets Get look too.
func (q *Queue) regate(at int64) {
	q.gated = q.paused(Evaluating, at)
	for i := range q.breakers {
		q.gated = q.gated || q.breakers[i].state != Closed
	}

	if q.storage.size > 0 {
		q.rouse = true
	}
}

// opens returns from when on items may be handed out: a past time when they may now, and never when that is not known.
func (q *Queue) opens(at int64) int64 {
	opens := int64(math.MinInt64)
	if !q.gated {
		return opens
	}

	if q.paused(Evaluating, at) {
		opens = q.pauses[Evaluating].ends(&q.clock)
	}

	for i := range q.breakers {
		opens = max(opens, q.breakers[i].next())
	}

	return opens
}

// pass notes that an item goes through the gate.
func (q *Queue) pass(r *run) {
	for i := range q.breakers {
		q.breakers[i].handOut(r, &q.cfg.Breaker)
	}

	q.regate(r.started)
}
