package server_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
)

// Clients are asked to go when the stop begins, however long it takes. Their streams go on to their turn, and who comes back
// is answered: reads as ever, and new work with when to bring it.
func TestClientsAreAskedToGoWhenTheStopBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const work, streams = 10 * time.Second, 400

		config := quiet()
		config.MaxConcurrentStreams = streams + 1

		s := run(t, config)
		s.enqueue(t, "prod/a")
		synctest.Wait()
		s.usage.set(lasting(work))
		s.enqueue(t, "prod/b")

		var w watchers

		for range streams {
			stream, err := s.WatchRecommendations(t.Context(), &tidemarkv1.WatchRecommendationsRequest{})
			require.NoError(t, err)
			w.running.Go(func() { w.follow(stream) })
		}

		synctest.Wait()
		require.Equal(t, connectivity.Ready, s.conn.GetState())

		began := time.Now()

		s.stop()
		synctest.Wait()
		require.Zero(t, time.Since(began))
		require.Equal(t, connectivity.Idle, s.conn.GetState(), "a client that is asked to go connects when it next has to")
		require.Less(t, len(w.ends()), streams/8)

		for range 2 {
			_, err := s.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
			require.NoError(t, err)

			_, err = s.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "prod/b"})
			requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)
			require.Positive(t, detail[*errdetails.RetryInfo](t, err).GetRetryDelay().AsDuration())

			<-time.After(work - time.Second)
		}

		require.NoError(t, s.end())
		w.running.Wait()

		ends := w.ends()
		require.Len(t, ends, streams)
		require.Greater(t, ends[len(ends)-1].Sub(began), time.Second, "one after the other")

		for _, err := range w.errs {
			requireError(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN)
		}
	})
}

// ends is when the streams that have ended did.
func (w *watchers) ends() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()

	return w.ended
}

// Whoever connects while the stop begins is answered by one server or the other.
func TestConnectionsThatComeWhenTheStopBegins(t *testing.T) {
	const callers = 50

	config := quiet()
	config.Listen = "localhost:0"

	held, usage := make(chan struct{}), &fakeUsage{}
	usage.set(func(context.Context) error {
		<-held

		return nil
	})

	s, err := config.Complete(t.Context(), server.Dependencies{
		Usage: usage, Inventory: fakeLister{}, Policies: doubling{},
	}, discard)
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	ended := make(chan error, 1)

	go func() { ended <- s.Run(ctx) }()

	// The stop takes until this is done.
	require.NoError(t, calling(t, s, func(conn *grpc.ClientConn) error {
		_, err := tidemarkv1.NewRecommendationServiceClient(conn).Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{
			Service: "prod/a",
		})

		return err
	}))
	require.Eventually(t, func() bool { return usage.running.Load() == 1 }, time.Minute, time.Millisecond)

	var (
		callings sync.WaitGroup
		failed   atomic.Pointer[error]
	)

	for i := range callers {
		if i == callers/2 {
			stop()
		}

		callings.Go(func() {
			if err := calling(t, s, func(conn *grpc.ClientConn) error {
				_, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))

				return err
			}); err != nil {
				failed.Store(&err)
			}
		})
	}

	callings.Wait()
	close(held)
	require.NoError(t, <-ended)
	require.Nil(t, failed.Load())
}

// calling makes a call on a connection of its own.
func calling(t *testing.T, s *server.Server, call func(*grpc.ClientConn) error) error {
	t.Helper()

	conn, err := grpc.NewClient(s.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDisableServiceConfig())
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it was only for the call

	return call(conn)
}
