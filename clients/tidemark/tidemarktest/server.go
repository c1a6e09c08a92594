// Package tidemarktest holds a small Tidemark server that lives in the process, for tests of what uses the client. It
// evaluates nothing: a test puts recommendations in, and everything that reads the API sees them. What real networks and
// servers do wrong (errors, broken and silent streams, lost history) a test can order.
package tidemarktest

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	pipeSize = 1 << 20
	// minPing is how often a client may ping, as on the real server.
	minPing = 10 * time.Second
)

// Server is a gRPC server over an in-memory connection. It is safe for concurrent use.
type Server struct {
	tidemarkv1.UnimplementedRecommendationServiceServer

	listener *bufconn.Listener
	grpc     *grpc.Server
	serving  sync.WaitGroup

	mu       sync.Mutex // guards all below
	state    state
	failing  func(method string) error
	sending  func(*tidemarkv1.WatchRecommendationsResponse) error
	changed  chan struct{} // closed and replaced at every change
	cut      *ending       // ended and replaced to end all streams
	watchers int
}

// New returns a server that listens.
func New(opts ...grpc.ServerOption) *Server {
	s := &Server{
		listener: bufconn.Listen(pipeSize),
		grpc: grpc.NewServer(append([]grpc.ServerOption{
			grpc.WaitForHandlers(true),
			grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
		}, opts...)...),
		state:   newState(),
		changed: make(chan struct{}),
		cut:     newEnding(),
	}

	tidemarkv1.RegisterRecommendationServiceServer(s.grpc, s)
	tidemarkv1.RegisterQueueServiceServer(s.grpc, queueService{server: s})
	s.serving.Go(func() { _ = s.grpc.Serve(s.listener) })

	return s
}

// Close ends all calls and the server.
func (s *Server) Close() {
	s.grpc.Stop()
	s.serving.Wait()
}

// Target is what to dial, together with DialOption.
func (s *Server) Target() string { return "passthrough:///tidemarktest" }

// DialOption makes a client connect to this server, in plaintext.
func (s *Server) DialOption() tidemark.Option {
	return func(settings *tidemark.Settings) {
		tidemark.WithPlaintext()(settings)
		tidemark.WithDialOptions(grpc.WithContextDialer(s.Dialer()))(settings)
	}
}

// Dialer returns what connects to this server, whatever the address.
func (s *Server) Dialer() func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, _ string) (net.Conn, error) { return s.listener.DialContext(ctx) }
}

// Dial returns a client of this server. It panics when that cannot be, which only wrong options bring about.
func (s *Server) Dial(opts ...tidemark.Option) *tidemark.Client {
	client, err := tidemark.Dial(s.Target(), append(opts, s.DialOption())...)
	if err != nil {
		panic(err)
	}

	return client
}

// FailWith sets a function that is asked before every call but the watch whether the call fails; nil for none. The method
// is its plain name, such as "Enqueue".
func (s *Server) FailWith(failing func(method string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.failing = failing
}

// fail returns the error that a test ordered for the method.
func (s *Server) fail(method string) error {
	s.mu.Lock()
	failing := s.failing
	s.mu.Unlock()

	if failing == nil {
		return nil
	}

	return failing(method)
}
