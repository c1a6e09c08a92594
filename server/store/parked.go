package store

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Parked is what a server knew, when it stopped, of the failures of a service whose work it left.
type Parked struct {
	// Service is the key.
	Service string
	// Revision is the highest of the work that failed. What is parked means nothing for later work.
	Revision int64
	// Attempts is the number of failures in a row, LastError the latest of them.
	Attempts  int
	LastError string
	// GaveUp means that it was not to be tried again by itself.
	GaveUp bool
	// RetryTime is when it was to be tried again; zero for at once, and for never when it was given up.
	RetryTime time.Time
}

// Park implements Store.
func (m *Memory) Park(ctx context.Context, parked []Parked) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("park failures: %w", context.Cause(ctx))
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return ErrClosed
	}

	m.parked = slices.Clone(parked)

	return nil
}

// Parked implements Store.
func (m *Memory) Parked(context.Context) ([]Parked, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return nil, ErrClosed
	}

	return slices.Clone(m.parked), nil
}
