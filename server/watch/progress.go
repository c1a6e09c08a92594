package watch

import (
	"sync/atomic"
	"time"
)

// progress is how far a stream has come, for those who look on.
type progress struct {
	order atomic.Int64 // what is being sent; the revision of a snapshot while that is
	since atomic.Int64 // when it came to be known, in nanoseconds of the epoch; 0 while nothing is being sent
}

// at says that something is being sent.
func (p *progress) at(order int64, noticed time.Time) {
	p.order.Store(order)
	p.since.Store(noticed.UnixNano())
}

// rest says that nothing is left to send.
func (p *progress) rest() { p.since.Store(0) }

// lag is by how much the reader of a stream is behind the head at a moment.
func (s *stream) lag(head int64, now time.Time) (revisions int64, age time.Duration) {
	if since := s.progress.since.Load(); since != 0 {
		return max(0, head-s.progress.order.Load()+1), max(0, now.Sub(time.Unix(0, since)))
	}

	if owed := s.owed.Load(); owed != 0 {
		return head - owed + 1, 0
	}

	return 0, 0
}
