package server_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// watchers follow a server, and note when their streams end, and with what.
type watchers struct {
	running sync.WaitGroup

	mu    sync.Mutex
	ended []time.Time
	errs  []error
}

func (w *watchers) follow(stream tidemarkv1.RecommendationService_WatchRecommendationsClient) {
	var err error
	for err == nil {
		_, err = stream.Recv()
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	w.ended, w.errs = append(w.ended, time.Now()), append(w.errs, err)
}

// stopWith stops a server that so many watch, and returns how long that took.
func stopWith(t *testing.T, s *running, streams int) (*watchers, time.Duration) {
	t.Helper()

	var w watchers

	for range streams {
		stream, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
		require.NoError(t, err)
		w.running.Go(func() { w.follow(stream) })
	}

	synctest.Wait()

	began := time.Now()

	require.NoError(t, s.end())

	took := time.Since(began)

	w.running.Wait()
	require.Len(t, w.ended, streams)

	return &w, took
}

// The watchers of a server that stops are let go one after the other, and are told when to come back.
func TestStopLetsWatchersGoOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const streams = 200

		w, took := stopWith(t, run(t, quiet()), streams)
		require.Greater(t, took, 900*time.Millisecond)
		require.Less(t, took, quiet().Watch.StopSpread)

		atOnce := make(map[time.Time]int)
		retries := make(map[time.Duration]struct{})

		for i, err := range w.errs {
			requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)

			atOnce[w.ended[i].Truncate(100*time.Millisecond)]++
			retries[detail[*errdetails.RetryInfo](t, err).GetRetryDelay().AsDuration()] = struct{}{}
		}

		for at, count := range atOnce {
			require.LessOrEqual(t, count, streams/8, at)
		}

		require.Greater(t, len(retries), streams/2)
	})
}

// However many they are, the last is gone within the grace.
func TestWatchersAreGoneWithinTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := quiet()
		config.ShutdownGrace = 2 * time.Second

		_, took := stopWith(t, run(t, config), 300)
		require.Less(t, took, config.ShutdownGrace)
	})
}

// A connection is asked to go after half an hour. Its stream ends with a token and a status, rather than being cut off half
// an hour later.
func TestStreamsEndWithTheirConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		began := time.Now()

		stream, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
		require.NoError(t, err)

		var last *tidemarkv1.WatchRecommendationsResponse

		for {
			event, err := stream.Recv()
			if err != nil {
				requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_STREAM_AGED)

				break
			}

			last = event
		}

		require.Greater(t, time.Since(began), quiet().MaxConnectionAge*11/10, "gRPC varies the age by a tenth")
		require.Less(t, time.Since(began), quiet().MaxConnectionAge*3/2)
		require.NotNil(t, last.GetHeartbeat())

		again, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{
			ResumeToken: last.GetResumeToken(),
		})
		require.NoError(t, err)

		event, err := again.Recv()
		require.NoError(t, err)
		require.NotNil(t, event.GetEndOfSnapshot())
	})
}
