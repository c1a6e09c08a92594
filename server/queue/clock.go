package queue

import "time"

// resync is how often the time of day is read.
const resync = time.Second

// clock counts nanoseconds since it was made and never goes back. It knows what time of day that is, by a reading at
// most a second older than the latest of its own, because reading both costs twice as much.
type clock struct {
	epoch time.Time
	// offset is the time of day at the epoch, in nanoseconds since 1970, as the day's clock sees it now.
	offset int64
	// latest is the latest reading.
	latest int64
	// synced is when the offset was read.
	synced int64
}

func newClock() clock {
	now := time.Now()

	return clock{epoch: now, offset: now.UnixNano()}
}

// read reads the clock. Unlike all else it needs no lock; what it returns must be given to set under the lock.
func (c *clock) read() int64 {
	return int64(time.Since(c.epoch))
}

// set returns the time of the clock, given a reading from just before.
func (c *clock) set(at int64) int64 {
	at = max(at, c.latest)

	if at-c.synced >= int64(resync) {
		now := time.Now()
		at = int64(now.Sub(c.epoch))
		c.offset, c.synced = now.UnixNano()-at, at
	}

	c.latest = at

	return at
}

// day returns a time of the clock in nanoseconds since 1970.
func (c *clock) day(at int64) int64 {
	return c.offset + at
}

// time returns a time of the clock as the time of day.
func (c *clock) time(at int64) time.Time {
	return time.Unix(0, c.offset+at)
}

// at returns a time of day by the clock: zero for all before the clock was made, never for what is too far away.
func (c *clock) at(t time.Time) int64 {
	return max(0, int64(t.Sub(time.Unix(0, c.offset))))
}
