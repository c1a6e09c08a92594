package watch

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// watchServer is the watch call alone, with a count of the handlers and the sends under way.
type watchServer struct {
	tidemarkv1.UnimplementedRecommendationServiceServer

	hub               *Hub
	handlers, sending atomic.Int64
}

func (s *watchServer) WatchRecommendations(
	q *request, stream grpc.ServerStreamingServer[event],
) error {
	s.handlers.Add(1)
	defer s.handlers.Add(-1)

	err := s.hub.Stream(stream.Context(), q, func(e *event) error {
		s.sending.Add(1)
		defer s.sending.Add(-1)

		return stream.Send(e)
	})

	return status.Error(codes.Aborted, err.Error())
}

// serve runs the server on a pipe and returns a client of it.
func serve(t *testing.T, s *watchServer) tidemarkv1.RecommendationServiceClient {
	t.Helper()

	const window = 1 << 16 // a fixed one, that does not grow with what the client could take

	listener := bufconn.Listen(window)
	server := grpc.NewServer(grpc.WaitForHandlers(true))
	tidemarkv1.RegisterRecommendationServiceServer(server, s)

	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	conn, err := grpc.NewClient("passthrough:///watch",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window))
	require.NoError(t, err)

	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		server.Stop()
		require.NoError(t, <-served)
	})

	return tidemarkv1.NewRecommendationServiceClient(conn)
}

// The transport blocks in the middle of a send when its windows are full. Ending the stream must free it.
func TestAClientThatNeverReadsIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()

		const services = 5000
		for i := range services {
			put(t, st, value(serviceName(i), 1))
		}

		server := &watchServer{hub: newHub(t, st)}
		client := serve(t, server)
		ctx, cancel := context.WithCancel(t.Context())

		defer cancel()

		stream, err := client.WatchRecommendations(ctx, &request{})
		require.NoError(t, err)
		synctest.Wait()
		require.EqualValues(t, 1, server.handlers.Load())
		require.EqualValues(t, 1, server.sending.Load(), "the windows are full")

		<-time.After(server.hub.config.SendTimeout + 2*closeGrace)
		synctest.Wait()
		require.Zero(t, server.handlers.Load(), "the handler has returned")
		require.Zero(t, server.sending.Load(), "and with it the send")
		require.Zero(t, server.hub.Watchers())

		// When the client reads at last it gets what was on its way, and then why there is no more.
		received := 0

		for ; err == nil; received++ {
			_, err = stream.Recv()
		}

		require.Equal(t, codes.Aborted, status.Code(err), err)
		require.Equal(t, ErrTooSlow.Error(), status.Convert(err).Message())
		require.Less(t, received, services)
	})
}

// Streams that end while sends are blocked must not disturb others on the same connection.
func TestManyBlockedStreamsEndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		for i := range 3000 {
			put(t, st, value(serviceName(i), 1))
		}

		server := &watchServer{hub: newHub(t, st)}
		client := serve(t, server)
		ctx, cancel := context.WithCancel(t.Context())

		defer cancel()

		const streams = 8
		for range streams {
			_, err := client.WatchRecommendations(ctx, &request{})
			require.NoError(t, err)
		}

		synctest.Wait()
		require.EqualValues(t, streams, server.sending.Load())
		server.hub.Stop(t.Context())
		<-time.After(3 * closeGrace)
		synctest.Wait()
		require.Zero(t, server.handlers.Load())
		require.Zero(t, server.sending.Load())
	})
}
