package queue

import "time"

const (
	// rateWindow is the time over which rates are taken.
	rateWindow = time.Minute
	// markEvery is the shortest time between two marks.
	markEvery = time.Second
)

// rates remember what the counters were, once a second while something happens, so that counting costs nothing more.
type rates struct {
	// marks are the latest ones, as many as there are seconds in the window, used as a ring of which the first are in use.
	marks  [rateWindow / markEvery]mark
	used   int
	latest int
}

// mark is what the counters were at some time, as large as a line of the cache.
type mark struct {
	at int64
	// taken are the requests of each trigger, and started the first evaluations that each was a reason for.
	taken, started [triggerCount]uint64
	// ended are the evaluations.
	ended uint64
}

// now returns the time of the queue's clock.
func (q *Queue) now() int64 {
	return q.tick(q.clock.read())
}

// tick returns the time of the queue's clock, given a reading from just before.
func (q *Queue) tick(reading int64) int64 {
	at := q.clock.set(reading)
	if r := &q.rates; r.used == 0 || at-r.marks[r.latest].at >= int64(markEvery) {
		r.add(q.stats.mark(at))
		q.tenants.spell = spellAt(at)
	}

	return at
}

func (r *rates) add(m mark) {
	if r.used > 0 {
		r.latest = (r.latest + 1) % len(r.marks)
	}

	r.marks[r.latest] = m
	r.used = max(r.used, r.latest+1)
}

// since returns what happened over the window that ends with the given mark, or since the queue was made when that is less.
func (r *rates) since(now mark) mark {
	since := r.marks[r.latest]

	if now.at-since.at >= int64(rateWindow) {
		return mark{at: now.at}
	}

	for _, m := range r.marks[:r.used] {
		if m.at > now.at-int64(rateWindow) && m.at < since.at {
			since = m
		}
	}

	for trigger := range now.taken {
		now.taken[trigger] -= since.taken[trigger]
		now.started[trigger] -= since.started[trigger]
	}

	now.ended -= since.ended

	return now
}

// allTaken are the requests of all triggers.
func (m *mark) allTaken() uint64 {
	all := uint64(0)
	for _, taken := range m.taken {
		all += taken
	}

	return all
}

// mark returns what the counters are.
func (c *counters) mark(at int64) mark {
	m := mark{at: at, taken: c.repeats}

	for trigger := range triggerCount {
		for _, count := range c.requests[trigger] {
			m.taken[trigger] += count
		}

		for _, count := range c.wait[trigger].buckets {
			m.started[trigger] += count
		}
	}

	for _, count := range c.completed {
		m.ended += count
	}

	return m
}
