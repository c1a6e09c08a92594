package tidemark_test

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestWatchBacksOffAndSaysOnceThatItIsCutOff(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		var tries []time.Time

		server.FailWith(func(string) error {
			tries = append(tries, time.Now())
			if len(tries) > 12 {
				return nil
			}

			return status.Error(codes.Unavailable, "down")
		})

		require.Zero(t, f.expect(tidemark.Disconnected).Since)
		f.expect(tidemark.SnapshotStarted)
		require.Len(t, tries, 13)

		for i := range tries[1:] {
			pause := tries[i+1].Sub(tries[i])
			require.GreaterOrEqual(t, pause, 100*time.Millisecond)
			require.LessOrEqual(t, pause, 7500*time.Millisecond)
		}

		require.Greater(t, tries[12].Sub(tries[11]), 2*time.Second)
	})
}

func TestWatchIsThereAsSoonAsTheServerIs(t *testing.T) {
	t.Parallel()

	for away := 10 * time.Minute; away < 11*time.Minute; away += 7 * time.Second {
		synctest.Test(t, func(t *testing.T) {
			_, client, up := unreachable(t)

			next, stop := iter.Pull2(client.Watch(t.Context(), tidemark.WatchOptions{}))
			defer stop()

			f := &follow{t, next}

			began := time.Now()

			require.Equal(t, codes.Unavailable, status.Code(f.expect(tidemark.Disconnected).Err))
			require.Less(t, time.Since(began), time.Second, "an outage is told at once")

			start := time.AfterFunc(away, func() { up.Store(true) })
			defer start.Stop()

			// Within the longest pause between two attempts to connect.
			f.expect(tidemark.SnapshotStarted)
			require.GreaterOrEqual(t, time.Since(began), away)
			require.Less(t, time.Since(began), away+4*time.Second)
		})
	}
}

func TestWatchForgetsAnOutageThatIsOver(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})
		server.FailWith(func(string) error { return status.Error(codes.Unavailable, "down") })

		recovery := time.AfterFunc(10*time.Minute, func() { server.FailWith(nil) })
		defer recovery.Stop()

		f.expect(tidemark.Disconnected)
		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.CaughtUp)

		// The next one begins with the shortest pause.
		server.Disconnect()

		began := time.Now()

		f.expect(tidemark.Disconnected)
		f.expect(tidemark.CaughtUp)
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestWatchWaitsAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		began, refused := time.Now(), false

		server.FailWith(func(string) error {
			if refused {
				return nil
			}

			refused = true

			return tidemarktest.Error(codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_TOO_MANY_WATCHERS, "full",
				&errdetails.RetryInfo{RetryDelay: durationpb.New(20 * time.Second)})
		})

		f.expect(tidemark.Disconnected)
		f.expect(tidemark.SnapshotStarted)
		require.GreaterOrEqual(t, time.Since(began), 20*time.Second)
	})
}
