package demo

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var errNotYet = errors.New("not yet")

func TestWaitUntil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, looks := time.Now(), 0

		require.NoError(t, waitUntil(t.Context(), "it is there", func(context.Context) error {
			if looks++; looks < 8 {
				return errNotYet
			}

			return nil
		}))

		// 20, 40, 80, 160, 320 ms and from then on half a second.
		require.Equal(t, 1620*time.Millisecond, time.Since(began))
	})
}

func TestWaitUntilTellsWhyNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too long"))
		defer cancel()

		err := waitUntil(ctx, "it is there", func(context.Context) error { return errNotYet })
		require.EqualError(t, err, "wait until it is there: too long; at the last look: not yet")
	})
}

func TestWaitUntilGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := waitUntil(t.Context(), "it is there", func(context.Context) error { return hopelessError{errNotYet} })
		require.EqualError(t, err, "wait until it is there: not yet")
		require.ErrorIs(t, err, errNotYet)
		require.Zero(t, time.Since(began))
	})
}

func TestALookThatHangsIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := true

		require.NoError(t, waitUntil(t.Context(), "it is there", func(ctx context.Context) error {
			if !first {
				return nil
			}

			first = false
			<-ctx.Done()

			return ctx.Err()
		}))
	})
}

// advance lets the fake time pass, and everything that becomes due happen.
func advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
