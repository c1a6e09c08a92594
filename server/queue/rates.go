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

// mark is what the counters were at some time.
type mark struct {
	at           int64
	taken, ended uint64
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

// perSecond returns the rates over the window that ends with the given mark, or since the queue was made when that is
// less.
func (r *rates) perSecond(now mark) (taken, ended float64) {
	since := r.marks[r.latest]

	if now.at-since.at >= int64(rateWindow) {
		return 0, 0
	}

	for _, m := range r.marks[:r.used] {
		if m.at > now.at-int64(rateWindow) && m.at < since.at {
			since = m
		}
	}

	window := max(min(rateWindow, time.Duration(now.at)), markEvery).Seconds()

	return float64(now.taken-since.taken) / window, float64(now.ended-since.ended) / window
}

// mark returns what the counters are.
func (c *counters) mark(at int64) mark {
	m := mark{at: at}

	for trigger, outcomes := range c.requests {
		m.taken += c.repeats[trigger]

		for _, count := range outcomes {
			m.taken += count
		}
	}

	for _, count := range c.completed {
		m.ended += count
	}

	return m
}
