package server_test

import (
	"context"
	"log/slog"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/store"
)

// running is a server that runs, and a client of it.
type running struct {
	tidemarkv1.RecommendationServiceClient

	conn   *grpc.ClientConn
	server *server.Server
	usage  *fakeUsage
	stop   context.CancelFunc
	ended  chan error
}

var discard = slog.New(slog.DiscardHandler)

// quiet is a configuration without ports of this machine.
func quiet() server.Config {
	config := server.DefaultConfig()
	config.HTTPListen = ""

	return config
}

// run runs a server until the test ends, which must be an orderly end.
func run(t *testing.T, config server.Config) *running {
	t.Helper()

	return runOn(t, config, nil, nil)
}

// runOn runs a server with the memory of another, whose reads of usage take what they are told to from the start.
func runOn(t *testing.T, config server.Config, st store.Store, take func(context.Context) error) *running {
	t.Helper()

	return runWith(t, config, func(d *server.Dependencies) {
		d.Store, d.Usage = st, &fakeUsage{take: take}
	})
}

// runWith runs a server with other parts than the usual ones; its usage must be a fake.
func runWith(t *testing.T, config server.Config, change func(*server.Dependencies)) *running {
	t.Helper()

	return runLogging(t, config, discard, change)
}

// runLogging is runWith with a log that somebody reads.
func runLogging(
	t *testing.T, config server.Config, logger *slog.Logger, change func(*server.Dependencies),
) *running {
	t.Helper()

	const window = 1 << 16 // a fixed one, that does not grow with what the client could take

	listener := bufconn.Listen(window)
	parts := server.Dependencies{Usage: &fakeUsage{}, Inventory: fakeLister{}, Policies: doubling{}, Listener: listener}
	change(&parts)

	usage, fake := parts.Usage.(*fakeUsage)
	require.True(t, fake)

	r := &running{usage: usage, ended: make(chan error, 1)}

	s, err := config.Complete(t.Context(), parts, logger)
	require.NoError(t, err)

	r.server = s
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel

	go func() { r.ended <- s.Run(ctx) }()

	r.conn, err = grpc.NewClient("passthrough:///server",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableServiceConfig(),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window))
	require.NoError(t, err)

	r.RecommendationServiceClient = tidemarkv1.NewRecommendationServiceClient(r.conn)

	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-r.ended)
		_ = r.conn.Close() // a test may have done so
	})

	return r
}

// end stops the server and returns what Run did.
func (r *running) end() error {
	r.stop()

	err := <-r.ended
	r.ended <- nil // for the cleanup

	return err
}

func (r *running) enqueue(t *testing.T, service string) *tidemarkv1.EnqueueResponse {
	t.Helper()

	response, err := r.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: service})
	require.NoError(t, err)

	return response
}

// detail returns a detail of an error, which it must have.
func detail[D any](t *testing.T, err error) D {
	t.Helper()

	for _, d := range status.Convert(err).Details() {
		if found, is := d.(D); is {
			return found
		}
	}

	var none D

	require.Failf(t, "no such detail", "%T in %v", none, err)

	return none
}

// requireError checks an error's code and its published reason.
func requireError(t *testing.T, err error, code codes.Code, reason tidemarkv1.ErrorReason) {
	t.Helper()
	require.Equal(t, code, status.Code(err), err)

	info := detail[*errdetails.ErrorInfo](t, err)
	require.Equal(t, "tidemark.dev", info.GetDomain())
	require.Equal(t, reason.String(), "ERROR_REASON_"+info.GetReason())
}
