package watch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

var (
	// ErrStopping says that the server is stopping; the reader can go on elsewhere or later with its token.
	ErrStopping = errors.New("the server is stopping")
	// ErrTooSlow says that the reader did not take an event for too long; it can go on with its token.
	ErrTooSlow = errors.New("the watcher did not read for too long")
	// ErrAged says that the stream has lived as long as streams may; the reader goes on with its token, and finds another
	// server when its connection has been asked to move.
	ErrAged = errors.New("the stream has lived as long as streams may: watch again with the last token")
	// ErrTooManyWatchers says that no further stream is taken at present.
	ErrTooManyWatchers = errors.New("there are too many watchers")
)

// StoppingError is ErrStopping with the time after which the reader should come back.
type StoppingError struct {
	// RetryAfter differs from reader to reader, so that they do not all come at once.
	RetryAfter time.Duration
}

// newStoppingError asks the reader to come back after half a second to a second and a half: by then another server has
// taken over, or this one is back.
func newStoppingError() StoppingError {
	return StoppingError{RetryAfter: time.Second/2 + rand.N(time.Second)}
}

// Error implements error.
func (e StoppingError) Error() string { return ErrStopping.Error() }

// Unwrap returns ErrStopping.
func (e StoppingError) Unwrap() error { return ErrStopping }

// FilterError says that a filter cannot be understood.
type FilterError struct {
	// Field is the path of the request's field that is wrong.
	Field string
	// Description says what is wrong in it, where, and what would be right.
	Description string
}

// Error implements error.
func (e FilterError) Error() string { return e.Field + ": " + e.Description }

// NotFoundError says that there is no recommendation for a service.
type NotFoundError struct {
	// Service is the key asked for.
	Service string
}

// Error implements error.
func (e NotFoundError) Error() string {
	return fmt.Sprintf("there is no recommendation for service %q: it was never evaluated or was deleted", e.Service)
}

// TokenError says that a resume token cannot be used: the reader takes a new snapshot.
type TokenError struct {
	// Why is the cause, for a person.
	Why string
	// result is the cause, for the metrics.
	result resumeResult
}

// Error implements error.
func (e TokenError) Error() string {
	return "the resume token cannot be used: " + e.Why + "; watch again without it for a new snapshot"
}

// RevisionNotReachedError says that a reader wanted a newer state than there was in time.
type RevisionNotReachedError struct {
	// Wanted is the revision asked for, Head the one reached.
	Wanted, Head int64
}

// Error implements error.
func (e RevisionNotReachedError) Error() string {
	return fmt.Sprintf("revision %d was not reached in time: this server is at %d", e.Wanted, e.Head)
}
