package interceptor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"buf.build/go/protovalidate"
	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/test/bufconn"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/interceptor"
)

// fakeService does in every call what a test wants.
type fakeService struct {
	tidemarkv1.UnimplementedRecommendationServiceServer

	mu sync.Mutex
	do func() error
}

func (f *fakeService) act() error {
	f.mu.Lock()
	do := f.do
	f.mu.Unlock()

	if do == nil {
		return nil
	}

	return do()
}

func (f *fakeService) set(do func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.do = do
}

func (f *fakeService) Enqueue(context.Context, *tidemarkv1.EnqueueRequest) (*tidemarkv1.EnqueueResponse, error) {
	return &tidemarkv1.EnqueueResponse{}, f.act()
}

func (f *fakeService) WatchRecommendations(
	*tidemarkv1.WatchRecommendationsRequest, grpc.ServerStreamingServer[tidemarkv1.WatchRecommendationsResponse],
) error {
	return f.act()
}

// counter counts panics.
type counter struct{ atomic.Int64 }

func (c *counter) Inc() { c.Add(1) }

// logLines is a log that can be read back, one entry per line.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.text.Write(line)
}

// taken returns the entries since the last call.
func (l *logLines) taken(t *testing.T) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()

	var entries []map[string]any

	for decoder := json.NewDecoder(&l.text); decoder.More(); {
		var entry map[string]any

		require.NoError(t, decoder.Decode(&entry))
		entries = append(entries, entry)
	}

	l.text.Reset()

	return entries
}

// fixture is a server with the production chain around a fake service, and its client.
type fixture struct {
	tidemarkv1.RecommendationServiceClient

	conn     *grpc.ClientConn
	service  *fakeService
	panics   *counter
	log      *logLines
	registry *prometheus.Registry
	stop     func()
}

func start(t *testing.T) *fixture {
	t.Helper()

	f := &fixture{service: &fakeService{}, panics: &counter{}, log: &logLines{}, registry: prometheus.NewRegistry()}
	metrics := grpcprom.NewServerMetrics()
	f.registry.MustRegister(metrics)

	validator, err := protovalidate.New()
	require.NoError(t, err)

	logger := slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := grpc.NewServer(interceptor.ServerOptions(interceptor.Chain(logger, metrics, f.panics, validator))...)
	tidemarkv1.RegisterRecommendationServiceServer(server, f.service)
	healthpb.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	metrics.InitializeMetrics(server)

	listener := bufconn.Listen(1 << 16)
	served := make(chan error, 1)

	go func() { served <- server.Serve(listener) }()

	f.conn, err = grpc.NewClient("passthrough:///chain",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)

	f.RecommendationServiceClient = tidemarkv1.NewRecommendationServiceClient(f.conn)
	f.stop = sync.OnceFunc(func() {
		require.NoError(t, f.conn.Close())
		server.GracefulStop() // every handler has ended, and with it its log line is written
		require.NoError(t, <-served)
	})
	t.Cleanup(f.stop)

	return f
}

// calls are one unary and one streaming call.
func (f *fixture) calls(t *testing.T) map[string]func() error {
	t.Helper()

	const service = "prod/a"

	return map[string]func() error{
		"Enqueue": func() error {
			_, err := f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: service})

			return err
		},
		"WatchRecommendations": func() error { return f.watch(t, &tidemarkv1.WatchRecommendationsRequest{}) },
	}
}

func (f *fixture) watch(t *testing.T, request *tidemarkv1.WatchRecommendationsRequest) error {
	t.Helper()

	stream, err := f.WatchRecommendations(t.Context(), request)
	require.NoError(t, err)

	_, err = stream.Recv()

	return err
}
