package demo

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// firstPause and longestPause are the waits between two looks; each is twice the one before.
	firstPause, longestPause = 20 * time.Millisecond, 500 * time.Millisecond
	// checkTimeout is how long one look may take.
	checkTimeout = 5 * time.Second
)

// hopelessError ends waiting: what is waited for will not come.
type hopelessError struct{ error }

// Unwrap implements the interface of package errors.
func (e hopelessError) Unwrap() error { return e.error }

// waitUntil looks again and again until check returns nil. It returns why not when ctx ends, or when check says that it
// is hopeless.
func waitUntil(ctx context.Context, what string, check func(ctx context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := tryOnce(ctx, check)

		switch {
		case err == nil:
			return nil
		case errors.As(err, new(hopelessError)):
			return fmt.Errorf("wait until %s: %w", what, err)
		}

		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; at the last look: %w", what, context.Cause(ctx), err)
		}
	}
}

func tryOnce(ctx context.Context, check func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()

	return check(ctx)
}
