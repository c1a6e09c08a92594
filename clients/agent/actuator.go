package agent

import (
	"context"
	"errors"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Actuator does something about a recommendation.
type Actuator interface {
	// Apply acts on one recommendation, which it must not change, and returns when that has been done. It is never called
	// for one service while another call for it is under way, and may be called for several services at once. After an
	// error it is called again later, unless the error is Permanent or the recommendation is outdated by then.
	Apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) error
}

// Resizer is an Actuator that knows how big the service is afterwards.
type Resizer interface {
	Actuator
	// Resize is called instead of Apply, does the same, and returns the size that the service has then: nil when that is
	// not known. An error may come with a size, after half of the work.
	Resize(ctx context.Context, recommendation *tidemarkv1.Recommendation) (*tidemarkv1.Size, error)
}

// ActuatorFunc makes an Actuator of a function.
type ActuatorFunc func(ctx context.Context, recommendation *tidemarkv1.Recommendation) error

// Apply implements Actuator.
func (f ActuatorFunc) Apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) error {
	return f(ctx, recommendation)
}

// Permanent marks an error that the same recommendation would meet again, so that it is not tried again.
func Permanent(err error) error { return &permanentError{err} }

// RetryAfter marks an error that should not be tried again before the delay has passed, of which an hour counts
// at most.
func RetryAfter(err error, delay time.Duration) error {
	return &retryAfterError{error: err, delay: delay}
}

// Deferred marks an error that is no failure: the change has to wait for something, and is tried again like after
// RetryAfter.
func Deferred(err error, delay time.Duration) error {
	return &retryAfterError{error: err, delay: delay, deferred: true}
}

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

type retryAfterError struct {
	error

	delay    time.Duration
	deferred bool // and no failure
}

func (e *retryAfterError) Unwrap() error { return e.error }

func permanent(err error) bool {
	_, marked := errors.AsType[*permanentError](err)

	return marked
}

// wait returns what RetryAfter or Deferred says, which of them it was, and nothing when it was neither.
func wait(err error) (delay time.Duration, deferred bool) {
	if marked, ok := errors.AsType[*retryAfterError](err); ok {
		return marked.delay, marked.deferred
	}

	return 0, false
}
