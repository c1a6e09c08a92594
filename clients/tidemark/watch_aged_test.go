package tidemark_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// A stream that ends for its age alone is no outage: the watch goes on at once, with its token, and nobody is told.
func TestWatchGoesOnAtOnceWhenItsStreamHasAged(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		const delay, times = 100 * time.Millisecond, 20

		server, f := watching(t, tidemark.WatchOptions{MinReconnectDelay: delay, MaxReconnectDelay: time.Hour})

		server.Put(recommendation("a/x", 1))
		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.Changed)
		f.expect(tidemark.CaughtUp)

		waits := make(map[time.Duration]struct{})

		for range times {
			began := time.Now()

			server.Age()
			server.Put(recommendation("a/y", 2))

			require.False(t, f.expect(tidemark.Changed).Snapshot, "with its token")
			require.Less(t, time.Since(began), delay)
			f.expect(tidemark.CaughtUp)

			waits[time.Since(began)] = struct{}{}
		}

		require.Greater(t, len(waits), times/2, "readers who were ended at one moment do not come back at one moment")
	})
}

// A server that ends every stream before it brought anything does not make its readers spin.
func TestWatchBacksOffWhenItsStreamsAgeAtOnce(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		var streams atomic.Int64

		server.FailWith(func(string) error {
			streams.Add(1)

			return tidemarktest.Error(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_STREAM_AGED, "too old")
		})

		go func() {
			<-time.After(time.Minute)
			server.FailWith(nil)
		}()

		require.Equal(t, "STREAM_AGED", tidemark.Reason(f.expect(tidemark.Disconnected).Err))
		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.CaughtUp)
		require.Less(t, streams.Load(), int64(50))
	})
}
