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
	at := q.clock.now()
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
	oldest := now

	for _, m := range r.marks[:r.used] {
		if m.at > now.at-int64(rateWindow) && m.at < oldest.at {
			oldest = m
		}
	}

	window := min(rateWindow, max(markEvery, time.Duration(now.at))).Seconds()

	return float64(now.taken-oldest.taken) / window, float64(now.ended-oldest.ended) / window
}

// mark returns what the counters are.
func (c *counters) mark(at int64) mark {
	m := mark{at: at}

	for _, outcomes := range c.requests {
		for _, count := range outcomes {
			m.taken += count
		}
	}

	for _, count := range c.completed {
		m.ended += count
	}

	return m
}
