package server_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
)

// An orderly stop: nothing new is taken, what runs finishes, streams end with a token, and then all is over.
func TestStopDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const work = 5 * time.Second

		s := run(t, quiet())
		s.usage.set(lasting(work))

		watch, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
		require.NoError(t, err)

		health, err := healthpb.NewHealthClient(s.conn).Watch(t.Context(), &healthpb.HealthCheckRequest{})
		require.NoError(t, err)

		answer, err := health.Recv()
		require.NoError(t, err)
		require.Equal(t, healthpb.HealthCheckResponse_SERVING, answer.GetStatus())

		_, err = watch.Recv()
		require.NoError(t, err)
		s.enqueue(t, "prod/a")
		synctest.Wait()
		require.EqualValues(t, 1, s.usage.running.Load())

		began := time.Now()

		s.stop()
		synctest.Wait()

		_, err = s.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/b"})
		requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)
		require.Positive(t, detail[*errdetails.RetryInfo](t, err).GetRetryDelay().AsDuration())

		checked, err := healthpb.NewHealthClient(s.conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
		require.NoError(t, err)
		require.Equal(t, healthpb.HealthCheckResponse_NOT_SERVING, checked.GetStatus())

		last, err := watch.Recv()
		require.NoError(t, err)
		require.NotNil(t, last.GetHeartbeat())
		require.NotEmpty(t, last.GetResumeToken())

		_, err = watch.Recv()
		requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)

		<-time.After(work - time.Millisecond)

		_, err = s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
		requireError(t, err, codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND)

		require.NoError(t, s.end())
		require.Equal(t, work, time.Since(began), "as long as the work under way, and no longer")
		require.Zero(t, s.usage.running.Load())
	})
}

// recommendMany has many services evaluated, more than the windows of a connection hold.
func (r *running) recommendMany(t *testing.T) {
	t.Helper()

	const batches, size = 3, 1000

	for b := range batches {
		batch := &tidemarkv1.BatchEnqueueRequest{Requests: make([]*tidemarkv1.EnqueueRequest, size)}
		for i := range batch.GetRequests() {
			batch.Requests[i] = &tidemarkv1.EnqueueRequest{Service: fmt.Sprintf("prod/s%d-%d", b, i)}
		}

		_, err := r.BatchEnqueue(t.Context(), batch)
		require.NoError(t, err)
	}

	synctest.Wait()
}

// The whole chain of interceptors lies between the hub and the transport, and a send may still be under way in it when
// the call ends.
func TestAClientThatDoesNotReadIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())
		s.recommendMany(t)

		watch, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
		require.NoError(t, err)

		<-time.After(2 * quiet().Watch.SendTimeout)

		for err == nil {
			_, err = watch.Recv()
		}

		requireError(t, err, codes.Aborted, tidemarkv1.ErrorReason_ERROR_REASON_WATCHER_TOO_SLOW)
	})
}

// What does not end in time is cut off: an evaluation that hangs, and a client that does not read.
func TestStopHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())

		s.recommendMany(t)

		_, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
		require.NoError(t, err)

		s.usage.set(func(ctx context.Context) error {
			<-ctx.Done()

			return ctx.Err()
		})
		s.enqueue(t, "prod/hangs")
		synctest.Wait()

		began := time.Now()

		require.NoError(t, s.end())
		require.LessOrEqual(t, time.Since(began), quiet().ShutdownGrace+2*time.Second)
		require.GreaterOrEqual(t, time.Since(began), quiet().ShutdownGrace)
	})
}

func TestAServerThatIsStoppedBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			r := run(t, quiet())
			require.NoError(t, r.end())
		}
	})
}

// An idle server stops at once, though clients hold their connections and health watches.
func TestAnIdleServerStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := run(t, quiet())

		health, err := healthpb.NewHealthClient(s.conn).Watch(t.Context(), &healthpb.HealthCheckRequest{})
		require.NoError(t, err)

		_, err = health.Recv()
		require.NoError(t, err)

		began := time.Now()

		require.NoError(t, s.end())
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestAPortThatFailsEndsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := brokenListener{}
		s, err := quiet().Complete(t.Context(), server.Dependencies{
			Usage: &fakeUsage{}, Inventory: fakeLister{}, Policies: doubling{}, Listener: listener,
		}, discard)
		require.NoError(t, err)
		require.ErrorIs(t, s.Run(t.Context()), errBroken)
	})
}
