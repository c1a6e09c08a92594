package watch

import (
	"context"
	"errors"
	"sync/atomic"
)

// resumeResult is what became of a token.
type resumeResult int

const (
	resumed resumeResult = iota
	resumeMalformed
	resumeForeign
	resumeAhead
	resumeTooOld
	resumeResults
)

// String returns the result as a metric names it.
func (r resumeResult) String() string {
	return [resumeResults]string{"resumed", "malformed", "foreign", "ahead", "too_old"}[r]
}

// streamEnd is why a stream ended, or did not begin.
type streamEnd int

const (
	endedByClient streamEnd = iota
	endedSlow
	endedExpired
	endedStopping
	endedAged
	endedRefused
	endedBroken
	streamEnds
)

// String returns the end as a metric names it.
func (e streamEnd) String() string {
	return [streamEnds]string{"client", "slow", "expired", "stopping", "aged", "refused", "broken"}[e]
}

// counts add up what has happened.
type counts struct {
	coalesced, renewals      atomic.Uint64
	snapshots, snapshotBytes atomic.Uint64
	resumes                  [resumeResults]atomic.Uint64
	ends                     [streamEnds]atomic.Uint64
}

// resumed counts a token, with the error that it met.
func (c *counts) resumed(err error) {
	result := resumed
	if refused, is := errors.AsType[TokenError](err); is {
		result = refused.result
	}

	c.resumes[result].Add(1)
}

// ended counts a stream, with the error that ended it.
func (c *counts) ended(err error) {
	_, expired := errors.AsType[TokenError](err)
	end := endedBroken

	switch {
	case expired:
		end = endedExpired
	case errors.Is(err, ErrTooSlow):
		end = endedSlow
	case errors.Is(err, ErrStopping):
		end = endedStopping
	case errors.Is(err, ErrAged):
		end = endedAged
	case errors.Is(err, ErrTooManyWatchers):
		end = endedRefused
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		end = endedByClient
	}

	c.ends[end].Add(1)
}

// snapshot counts a snapshot, whole or not.
func (c *counts) snapshot(bytes int64) {
	c.snapshots.Add(1)
	c.snapshotBytes.Add(uint64(bytes)) //nolint:gosec // never negative
}
