package sources_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/sources"
)

// pausedUntil refuses as a server does whose queue is paused for hours, until somebody ends the pause.
func pausedUntil(resumed time.Time, asks time.Duration) error {
	if !time.Now().Before(resumed) {
		return nil
	}

	refusal, err := status.New(codes.Unavailable, "accepting is paused by ana: upgrade").WithDetails(
		&errdetails.ErrorInfo{Domain: tidemark.ErrorDomain, Reason: "QUEUE_PAUSED"},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(asks)})
	if err != nil {
		return err
	}

	return refusal.Err()
}

// A pause may end long before its time. It is noticed within 10 s, for the price of one request every few seconds, and
// then everything comes at once.
func TestDeliverNoticesTheEndOfAPause(t *testing.T) {
	t.Parallel()

	const held, length = 25_000, 5 * time.Minute

	for name, each := range map[string]bool{"each request is refused": true, "the whole call is refused": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				resumed := time.Now().Add(length)
				s := &sink{}

				if each {
					s.each = func(string) error { return pausedUntil(resumed, time.Minute) }
				} else {
					s.whole = func() error { return pausedUntil(resumed, time.Minute) }
				}

				require.NoError(t, sources.Deliver(t.Context(), slog.New(slog.DiscardHandler), s, requests(held)))
				require.Len(t, s.accepted, held)
				require.Less(t, time.Since(resumed), 10*time.Second)

				probes := len(s.calls) - 5
				require.Equal(t, 10_000, s.calls[0])
				require.LessOrEqual(t, probes, int(length/(5*time.Second)), "no hammering")
				require.GreaterOrEqual(t, probes, int(length/(10*time.Second)))

				for i := range probes {
					require.Equal(t, 1, s.calls[1+i])
					require.LessOrEqual(t, s.times[1+i].Sub(s.times[i]), 10*time.Second)
				}

				require.Equal(t, []int{1, 10_000, 10_000, held - 20_001}, s.calls[1+probes:])
			})
		})
	}
}

// A pause that is about to end is waited out and not asked about before.
func TestDeliverWaitsOutTheEndOfAPause(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		resumed := time.Now().Add(3 * time.Second)
		s := &sink{}
		s.whole = func() error { return pausedUntil(resumed, time.Until(resumed)) }

		require.NoError(t, sources.Deliver(t.Context(), slog.New(slog.DiscardHandler), s, requests(2)))
		require.Equal(t, []int{2, 1, 1}, s.calls)
		require.Less(t, time.Since(resumed), time.Second)
	})
}

// When the server goes away during a pause, that counts: it is tried as ever.
func TestDeliverOfAServerThatGoesAwayWhilePaused(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		s.whole = func() error {
			switch {
			case len(s.calls) == 1:
				return pausedUntil(time.Now().Add(time.Hour), time.Minute)
			case len(s.calls) < 5:
				return status.Error(codes.Unavailable, "connection refused")
			default:
				return nil
			}
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		require.NoError(t, sources.Deliver(ctx, slog.New(slog.DiscardHandler), s, requests(10)))
		require.Equal(t, []int{10, 1, 10, 10, 10}, s.calls)
	})
}
