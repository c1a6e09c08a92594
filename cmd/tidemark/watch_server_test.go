package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// transportWindow is as much as a client's connection holds of what the client does not read.
const transportWindow = 1 << 16

var errServerDown = errors.New("connection refused")

// place is where a server is reached in this process, now this one and then that.
type place struct {
	mu       sync.Mutex // guards listener
	listener *bufconn.Listener
}

// listen makes the place one where a new server is reached.
func (p *place) listen() net.Listener {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.listener = bufconn.Listen(transportWindow)

	return p.listener
}

// leave makes it one where nobody is.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.listener = nil
}

func (p *place) connect(ctx context.Context, _ string) (net.Conn, error) {
	p.mu.Lock()
	listener := p.listener
	p.mu.Unlock()

	if listener == nil {
		return nil, errServerDown
	}

	return listener.DialContext(ctx)
}

// dial returns a client of whatever server is there.
func (p *place) dial() (*tidemark.Client, error) {
	return tidemark.Dial("passthrough:///server", tidemark.WithPlaintext(), tidemark.WithDialOptions(
		grpc.WithStaticStreamWindowSize(transportWindow), grpc.WithStaticConnWindowSize(transportWindow),
		grpc.WithContextDialer(p.connect)))
}

// started runs a whole server, which is told what services use, and a client of it until the test ends.
func started(t *testing.T, known usageOf) *tidemark.Client {
	t.Helper()

	var here place

	config := server.DefaultConfig()
	config.HTTPListen = ""

	complete, err := config.Complete(t.Context(), server.Dependencies{
		Usage: known, Inventory: twoServices{}, Policies: doubling{}, Listener: here.listen(),
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- complete.Run(ctx) }()

	client, err := here.dial()
	require.NoError(t, err)

	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		require.NoError(t, client.Close())
	})

	return client
}

// hubServer is the part of a server that watchers see, quick to start: the hub behind gRPC, with the server's errors.
type hubServer struct {
	tidemarkv1.UnimplementedRecommendationServiceServer

	here   place
	store  *store.Memory
	hub    *watch.Hub
	cancel context.CancelFunc
	grpc   *grpc.Server
	ended  chan error
}

// WatchRecommendations implements the RPC.
func (s *hubServer) WatchRecommendations(
	request *tidemarkv1.WatchRecommendationsRequest, stream tidemarkv1.RecommendationService_WatchRecommendationsServer,
) error {
	err := s.hub.Stream(stream.Context(), request, stream.Send)
	visible, _ := rpcerror.From(err)

	return visible
}

// start runs a new hub on the store. It has none of the history of the one before.
func (s *hubServer) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	s.hub, s.cancel = watch.New(s.store, watch.DefaultConfig(), slog.New(slog.DiscardHandler)), cancel

	if err := s.hub.Load(ctx); err != nil {
		return err
	}

	const parts = 2

	s.ended = make(chan error, parts)
	s.grpc = grpc.NewServer(grpc.WaitForHandlers(true))
	tidemarkv1.RegisterRecommendationServiceServer(s.grpc, s)

	listener := s.here.listen()

	go func() { s.ended <- s.hub.Run(ctx) }()
	go func() { s.ended <- s.grpc.Serve(listener) }()

	return nil
}

// end stops the hub and the transport in order.
func (s *hubServer) end() error {
	s.here.leave()
	s.hub.Stop(context.Background())
	s.grpc.GracefulStop()
	s.cancel()

	if err := errors.Join(<-s.ended, <-s.ended); !errors.Is(err, context.Canceled) {
		return err
	}

	return nil
}

// usageOf tells how much CPU every service has.
type usageOf func() (millis int64)

// Snapshot implements worker.Usage.
func (u usageOf) Snapshot(_ context.Context, service string, _ usage.Request) (usage.Snapshot, error) {
	const memory = 1 << 30

	return usage.Snapshot{
		Service: service, Allocation: size.Size{CPUMillis: u(), MemoryBytes: memory}, NewestSample: time.Now(),
	}, nil
}

// doubling is a recommender that wants twice the CPU for every service.
type doubling struct{}

// For implements worker.Policies.
func (d doubling) For(string, map[string]string) *policies.Effective {
	return &policies.Effective{Policy: policy.Default(), Recommender: d}
}

// Name implements recommender.Recommender.
func (doubling) Name() string { return "doubling" }

// Needs implements recommender.Recommender.
func (doubling) Needs() usage.Request { return usage.Request{} }

// Recommend implements recommender.Recommender.
func (doubling) Recommend(in recommender.Input) recommender.Proposal {
	return recommender.Proposal{
		Need:    size.Resources{CPUMillis: 2 * in.Allocation.CPUMillis, MemoryBytes: in.Allocation.MemoryBytes},
		Reasons: []recommender.Reason{recommender.ReasonCPUAboveBand},
	}
}
