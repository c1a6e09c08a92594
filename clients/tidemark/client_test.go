package tidemark_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// connected returns a server and a client of it, both of which end with the test, or with its bubble.
func connected(t *testing.T) (*tidemarktest.Server, *tidemark.Client) {
	t.Helper()

	server := tidemarktest.New()
	t.Cleanup(server.Close)

	client := server.Dial()
	t.Cleanup(func() { require.NoError(t, client.Close()) })

	return server, client
}

// unreachable returns a server that refuses connections until up is true, and a client of it.
func unreachable(t *testing.T) (server *tidemarktest.Server, client *tidemark.Client, up *atomic.Bool) {
	t.Helper()

	server, up = tidemarktest.New(), new(atomic.Bool)
	t.Cleanup(server.Close)

	dial := server.Dialer()

	client, err := tidemark.Dial(server.Target(), tidemark.WithPlaintext(), tidemark.WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			if !up.Load() {
				return nil, errors.New("connection refused")
			}

			return dial(ctx, address)
		})))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })

	return server, client, up
}

func TestDialDoesNotWaitForTheServer(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client, up := unreachable(t)
		server.Put(recommendation("a/x", 500))

		_, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "a/x"})
		require.Equal(t, codes.Unavailable, status.Code(err))

		<-time.After(10 * time.Minute)
		up.Store(true)
		<-time.After(5 * time.Second)

		_, err = client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "a/x"})
		require.NoError(t, err)
	})
}

func TestDialRefusesWrongOptions(t *testing.T) {
	t.Parallel()

	for name, opts := range map[string][]tidemark.Option{
		"plaintext and TLS":    {tidemark.WithPlaintext(), tidemark.WithTLS(tidemark.TLS{})},
		"no such CA":           {tidemark.WithTLS(tidemark.TLS{CAFile: "no-such-file"})},
		"CA without PEM":       {tidemark.WithTLS(tidemark.TLS{CAFile: "client_test.go"})},
		"certificate, no key":  {tidemark.WithTLS(tidemark.TLS{CertFile: "x"})},
		"no such certificate":  {tidemark.WithTLS(tidemark.TLS{CertFile: "x", KeyFile: "y"})},
		"wrong service config": {tidemark.WithDialOptions(grpc.WithDefaultServiceConfig("{"))},
	} {
		_, err := tidemark.Dial("localhost:1", opts...)
		require.ErrorContains(t, err, "dial localhost:1: ", name)
	}
}

func TestTheUserAgentIsSent(t *testing.T) {
	t.Parallel()

	var agent string

	server := tidemarktest.New(grpc.UnaryInterceptor(func(
		ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
	) (any, error) {
		agent = metadata.ValueFromIncomingContext(ctx, "user-agent")[0]

		return handle(ctx, request)
	}))
	t.Cleanup(server.Close)

	client := server.Dial(tidemark.WithUserAgent("tester/1"))
	t.Cleanup(func() { require.NoError(t, client.Close()) })

	_, err := client.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{})
	require.NoError(t, err)
	require.Regexp(t, "^tester/1 grpc-go/", agent)
}

func TestCallsAreRepeatedWhenTheServerCannotBeReached(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		calls := make(map[string]int)

		server.FailWith(func(method string) error {
			if calls[method]++; calls[method] < 4 {
				return status.Error(codes.Unavailable, "down")
			}

			return nil
		})
		server.Put(recommendation("a/x", 500))

		_, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "a/x"})
		require.NoError(t, err)

		for _, err := range client.List(t.Context(), nil) {
			require.NoError(t, err)
		}

		for _, err := range client.Services(t.Context(), nil) {
			require.NoError(t, err)
		}

		_, err = client.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "a/x"})
		require.NoError(t, err)

		for _, err := range client.QueueItems(t.Context(), nil) {
			require.NoError(t, err)
		}

		_, err = client.Queue().GetQueueStatus(t.Context(), nil)
		require.NoError(t, err)

		_, err = client.Queue().ResumeQueue(t.Context(), nil)
		require.Equal(t, codes.Unavailable, status.Code(err))

		_, err = client.BatchEnqueue(t.Context(), []*tidemarkv1.EnqueueRequest{{Service: "a/x"}})
		require.Equal(t, codes.Unavailable, status.Code(err))

		require.Equal(t, map[string]int{
			"GetRecommendation": 4, "ListRecommendations": 4, "ListServices": 4, "Enqueue": 4, "BatchEnqueue": 1,
			"ListQueueItems": 4, "GetQueueStatus": 4, "ResumeQueue": 1,
		}, calls)
	})
}
