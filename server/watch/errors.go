package watch

import (
	"errors"
	"fmt"
)

var (
	// ErrStopping says that the server is stopping; the reader can go on elsewhere or later with its token.
	ErrStopping = errors.New("the server is stopping")
	// ErrTooSlow says that the reader did not take an event for too long; it can go on with its token.
	ErrTooSlow = errors.New("the watcher did not read for too long")
	// ErrTooManyWatchers says that no further stream is taken at present.
	ErrTooManyWatchers = errors.New("there are too many watchers")
)

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
