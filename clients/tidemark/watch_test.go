package tidemark_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// follow is a watch whose events a test takes one by one.
type follow struct {
	t    *testing.T
	next func() (tidemark.Event, error, bool)
}

// watching returns a server and a watch on it, which end with the bubble.
func watching(t *testing.T, options tidemark.WatchOptions) (*tidemarktest.Server, *follow) {
	t.Helper()

	server, client := connected(t)

	next, stop := iter.Pull2(client.Watch(t.Context(), options))
	t.Cleanup(stop)

	return server, &follow{t, next}
}

// expect takes the next event, which must be of the kind.
func (f *follow) expect(kind tidemark.EventKind) tidemark.Event {
	f.t.Helper()

	event, err, ok := f.next()
	require.True(f.t, ok)
	require.NoError(f.t, err)
	require.Equal(f.t, kind, event.Kind, "got %s", event.Kind)

	return event
}

// expectEnd takes the error that ends the watch.
func (f *follow) expectEnd() error {
	f.t.Helper()

	_, err, ok := f.next()
	require.True(f.t, ok)
	require.Error(f.t, err)

	_, _, ok = f.next()
	require.False(f.t, ok)

	return err
}

func recommendation(service string, cpuMillis int64) *tidemarkv1.Recommendation {
	return &tidemarkv1.Recommendation{Service: service, Recommended: &tidemarkv1.Size{CpuMillis: cpuMillis}}
}

func TestWatchYieldsTheSnapshotAndThenChanges(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		server.Put(recommendation("a/x", 1))
		server.Put(recommendation("a/y", 2))

		require.False(t, f.expect(tidemark.SnapshotStarted).Expired)
		require.Equal(t, "a/x", f.expect(tidemark.Changed).Recommendation.GetService())

		second := f.expect(tidemark.Changed)
		require.True(t, second.Snapshot)
		require.Empty(t, second.ResumeToken)

		end := f.expect(tidemark.CaughtUp)
		require.EqualValues(t, 2, end.EndOfSnapshot.GetCount())
		require.NotEmpty(t, end.ResumeToken)

		server.Put(recommendation("a/x", 3))

		change := f.expect(tidemark.Changed)
		require.False(t, change.Snapshot)
		require.EqualValues(t, 3, change.Recommendation.GetRecommended().GetCpuMillis())

		server.Remove("a/y")
		require.Equal(t, "a/y", f.expect(tidemark.Removed).Removed.GetService())
		require.EqualValues(t, 4, f.expect(tidemark.Alive).Heartbeat.GetRevision())
	})
}

func TestWatchGoesOnWithItsToken(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		server.Put(recommendation("a/x", 1))
		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.Changed)
		f.expect(tidemark.CaughtUp)

		seen := time.Now()

		server.Disconnect()

		gone := f.expect(tidemark.Disconnected)
		require.Equal(t, codes.Unavailable, status.Code(gone.Err))
		require.Equal(t, "SHUTTING_DOWN", tidemark.Reason(gone.Err))
		require.WithinDuration(t, seen, gone.Since, time.Millisecond)
		require.NotEmpty(t, gone.ResumeToken)

		server.Put(recommendation("a/y", 2))

		change := f.expect(tidemark.Changed)
		require.Equal(t, "a/y", change.Recommendation.GetService())
		require.False(t, change.Snapshot)
		f.expect(tidemark.CaughtUp)
	})
}

func TestWatchTakesASnapshotWhenTheTokenExpired(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		for _, service := range []string{"a/x", "a/y", "a/z"} {
			server.Put(recommendation(service, 1))
		}

		f.expect(tidemark.SnapshotStarted)

		for range 3 {
			f.expect(tidemark.Changed)
		}

		f.expect(tidemark.CaughtUp)

		server.LoseState()
		server.Put(recommendation("a/y", 9))

		f.expect(tidemark.Disconnected)
		require.True(t, f.expect(tidemark.SnapshotStarted).Expired)

		// Its revision is smaller than the one known before; the store is another one.
		change := f.expect(tidemark.Changed)
		require.EqualValues(t, 1, change.Recommendation.GetRevision())
		require.True(t, change.Snapshot)

		// What the new store does not have is removed.
		require.Equal(t, "a/x", f.expect(tidemark.Removed).Removed.GetService())
		require.Equal(t, "a/z", f.expect(tidemark.Removed).Removed.GetService())
		f.expect(tidemark.CaughtUp)
	})
}

func TestWatchBeginsASnapshotAgainThatBroke(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		server.Put(recommendation("a/x", 1))
		server.Put(recommendation("a/y", 1))

		sent := 0

		server.BeforeSend(func(*tidemarkv1.WatchRecommendationsResponse) error {
			if sent++; sent == 2 {
				return status.Error(codes.Unavailable, "cut")
			}

			return nil
		})

		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.Changed)
		f.expect(tidemark.Disconnected)
		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.Changed)
		f.expect(tidemark.Changed)
		f.expect(tidemark.CaughtUp)
	})
}

func TestWatchLeavesAStreamThatFellSilent(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.CaughtUp)

		server.BeforeSend(func(*tidemarkv1.WatchRecommendationsResponse) error {
			<-time.After(time.Hour)

			return nil
		})

		began := time.Now()

		require.ErrorContains(t, f.expect(tidemark.Disconnected).Err, "silent")
		require.Equal(t, 30*time.Second, time.Since(began))

		server.BeforeSend(nil)
		f.expect(tidemark.CaughtUp)
	})
}

func TestWatchTakesASlowLoopForNoSilence(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})

		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.CaughtUp)

		<-time.After(10 * time.Minute)

		server.Put(recommendation("a/x", 1))

		for {
			event, err, _ := f.next()
			require.NoError(t, err)
			require.NotEqual(t, tidemark.Disconnected, event.Kind)

			if event.Kind == tidemark.Changed {
				return
			}
		}
	})
}

func TestWatchEndsOnWhatARetryCannotMend(t *testing.T) {
	t.Parallel()

	for _, code := range []codes.Code{
		codes.InvalidArgument, codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented,
	} {
		synctest.Test(t, func(t *testing.T) {
			server, f := watching(t, tidemark.WatchOptions{})

			server.FailWith(func(string) error { return status.Error(code, "no") })
			require.Equal(t, code, status.Code(f.expectEnd()))
		})
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		_, client := connected(t)

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		var last error

		for event, err := range client.Watch(ctx, tidemark.WatchOptions{}) {
			require.NotEqual(t, tidemark.Disconnected, event.Kind)

			last = err
		}

		require.ErrorIs(t, last, context.DeadlineExceeded)
	})
}

func TestWatchLeavesNoStreamBehind(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)

		for _, err := range client.Watch(t.Context(), tidemark.WatchOptions{}) {
			require.NoError(t, err)
			require.Equal(t, 1, server.Watchers())

			break
		}

		synctest.Wait()
		require.Zero(t, server.Watchers())
	})
}

func TestWatchOfChangesOnly(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{ChangesOnly: true})

		server.Put(recommendation("a/x", 1))
		f.expect(tidemark.CaughtUp)
		server.Put(recommendation("a/y", 1))
		require.Equal(t, "a/y", f.expect(tidemark.Changed).Recommendation.GetService())

		server.Disconnect()
		f.expect(tidemark.Disconnected)

		// A change is missed here, so all there is comes now.
		server.Put(recommendation("a/z", 1))
		server.ForgetHistory()

		require.True(t, f.expect(tidemark.SnapshotStarted).Expired)

		for range 3 {
			require.True(t, f.expect(tidemark.Changed).Snapshot)
		}

		f.expect(tidemark.CaughtUp)
	})
}

func TestWatchGoesOnAfterAnEarlierOne(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)

		server.Put(recommendation("a/x", 1))

		token := ""

		for event, err := range client.Watch(t.Context(), tidemark.WatchOptions{}) {
			require.NoError(t, err)

			if event.Kind == tidemark.CaughtUp {
				token = event.ResumeToken

				break
			}
		}

		server.Put(recommendation("a/y", 1))

		for event, err := range client.Watch(t.Context(), tidemark.WatchOptions{ResumeToken: token}) {
			require.NoError(t, err)
			require.Equal(t, tidemark.Changed, event.Kind)
			require.Equal(t, "a/y", event.Recommendation.GetService())

			break
		}
	})
}
