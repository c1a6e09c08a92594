package queue

import (
	"errors"
	"fmt"
	"time"
)

// The reasons of a RefusedError, and what Get returns at the end.
var (
	// ErrFull means that the queue holds as many items as it may for the request's trigger.
	ErrFull = errors.New("the queue is full")
	// ErrShuttingDown means that the queue takes no more work because it is drained or closed.
	ErrShuttingDown = errors.New("the queue is shutting down")
	// ErrPaused means that somebody ordered that nothing be taken in.
	ErrPaused = errors.New("enqueueing is paused")
	// ErrShutDown means that there is nothing more to get because the queue is drained or closed.
	ErrShutDown = errors.New("the queue is shut down")
	// ErrInvalidRequest means that a request has no service or no known trigger.
	ErrInvalidRequest = errors.New("the request is invalid")
)

// RefusedError says that a request was not taken and when it may be tried again.
type RefusedError struct {
	// Reason is, or wraps, ErrFull, ErrShuttingDown or ErrPaused.
	Reason error
	// RetryAfter is how long to wait before the next try.
	RetryAfter time.Duration
}

// Error returns the reason and the wait.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%v, retry after %v", e.Reason, e.RetryAfter)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error {
	return e.Reason
}
