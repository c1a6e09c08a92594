package clickhouse

import (
	"time"
)

// cursor knows how far the table was read. It goes by arrival times of the server and never by the local clock.
//
// Everything that arrived before the watermark was read, but for what comes late; so reading starts an overlap before it.
// The watermark follows what was seen and not the clock: while nothing arrives it stays, and what comes late is found
// however late it is. Only when a whole window lies behind it moves on without having seen anything.
type cursor struct {
	config *Config

	watermark time.Time
	floor     time.Time // nothing before it is read: what arrived before the start's lookback
	newest    time.Time // the latest arrival seen
	now       time.Time // the server's clock at the latest read
	overlap   time.Duration
	calmSince time.Time // when the overlap last had a reason to grow
}

// reading is what one read has found.
type reading struct {
	from, to time.Time
	now      time.Time // the server's clock, cut to seconds
	newest   time.Time // latest arrival; zero when there was no row
	// leastElapsed and mostElapsed bound the time that has passed since the server's clock was read before.
	leastElapsed, mostElapsed time.Duration
}

// progress is what a read means for the cursor.
type progress struct {
	// behind says that there is more to read at once.
	behind bool
	// stale says that the server lacked rows that were seen before, or that its clock jumped.
	stale bool
	// back and ahead are by how much its clock jumped.
	back, ahead time.Duration
	// expired is how much time was skipped because its rows are gone.
	expired time.Duration
}

func newCursor(config *Config, now time.Time) *cursor {
	floor := now.Add(-config.Lookback)

	return &cursor{
		config: config, floor: floor, now: now, overlap: config.Overlap,
		// The first read starts at the floor.
		watermark: earlier(floor.Add(config.Overlap), now.Add(-config.Lag)),
	}
}

// window returns what is to be read next, in whole seconds. Both bounds count.
func (c *cursor) window() (from, to time.Time) {
	from = later(c.watermark.Add(-c.overlap), c.floor).Truncate(time.Second)
	to = c.watermark.Add(c.config.MaxWindow + time.Second).Truncate(time.Second)

	return from, to
}

// horizon is the earliest arrival that may yet be read again.
func (c *cursor) horizon() time.Time {
	// Twice, because the server's clock may go back.
	return c.watermark.Add(-2 * c.config.MaxOverlap)
}

// advance moves on after a read whose signals have all been delivered.
func (c *cursor) advance(r reading) progress {
	settled := r.now.Add(-c.config.Lag)
	p := progress{behind: r.to.Before(settled)}
	p.back, p.ahead = c.jump(r)
	p.stale = p.back > 0 || p.ahead > 0 || c.misses(r)

	switch {
	case p.back > 0:
		// Since the last read, rows may have arrived with times that were already passed.
		c.watermark = earlier(c.watermark, c.now.Add(-p.back-c.config.Lag))
		c.floor = earlier(c.floor, c.watermark.Add(-c.config.Overlap))
	case p.behind:
		c.watermark = r.to
	case !p.stale:
		c.watermark = later(c.watermark, earlier(r.newest, settled))
	}

	if oldest := r.now.Add(-c.config.Retention); c.watermark.Before(oldest) {
		p.expired, c.watermark = oldest.Sub(c.watermark), oldest
	}

	c.adaptOverlap(r.now, p)
	c.newest = later(c.newest, r.newest)
	c.now = r.now

	return p
}

// jump returns by how much the server's clock is behind or ahead of where it should be by now, as far as a clock that is
// cut to seconds can tell.
func (c *cursor) jump(r reading) (back, ahead time.Duration) {
	back = c.now.Add(r.leastElapsed - time.Second).Sub(r.now)
	ahead = r.now.Sub(c.now.Add(r.mostElapsed + time.Second))

	return max(0, back), max(0, ahead)
}

// misses reports that the latest row seen so far should have been read again and was not: another server answered, one
// that has not got it yet.
func (c *cursor) misses(r reading) bool {
	expected := !c.newest.IsZero() && !c.newest.Before(r.from) && !c.newest.After(r.to)

	return expected && r.newest.Before(c.newest)
}

// adaptOverlap widens the overlap while servers turn out to be behind or their clocks to jump, and after some calm goes
// back to the usual one. A clock that jumps ahead makes all rows that are under way that much later.
func (c *cursor) adaptOverlap(now time.Time, p progress) {
	switch {
	case p.stale:
		c.overlap = min(max(2*c.overlap, 2*p.back, 2*p.ahead), c.config.MaxOverlap)
		c.calmSince = now
	case now.Sub(c.calmSince) > c.config.MaxOverlap:
		c.overlap = c.config.Overlap
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}

	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}

	return a
}
