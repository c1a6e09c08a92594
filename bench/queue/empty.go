package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"buf.build/go/protovalidate"
	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server"
	"github.com/tidemark-project/tidemark/server/interceptor"
)

// emptyHandlers answer at once that nothing was done.
type emptyHandlers struct {
	tidemarkv1.UnimplementedRecommendationServiceServer
}

// Enqueue implements the RPC.
func (emptyHandlers) Enqueue(context.Context, *tidemarkv1.EnqueueRequest) (*tidemarkv1.EnqueueResponse, error) {
	return &tidemarkv1.EnqueueResponse{}, nil
}

// openEmpty runs a gRPC server that is like the whole one up to its handlers.
func openEmpty(ctx context.Context) (*target, error) {
	validator, err := protovalidate.New(protovalidate.WithMessages(&tidemarkv1.EnqueueRequest{}))
	if err != nil {
		return nil, fmt.Errorf("prepare the rules of the API: %w", err)
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}

	calls := grpcprom.NewServerMetrics(grpcprom.WithServerHandlingTimeHistogram())
	panics := prometheus.NewCounter(prometheus.CounterOpts{Name: "panics_total", Help: "Handlers that panicked."})
	//nolint:contextcheck // the chain has each call's
	chain := interceptor.Chain(slog.New(slog.DiscardHandler), calls, panics, validator)
	empty := grpc.NewServer(append(transportOptions(), interceptor.ServerOptions(chain)...)...)
	tidemarkv1.RegisterRecommendationServiceServer(empty, emptyHandlers{})
	calls.InitializeMetrics(empty)

	ended := make(chan error, 1)

	go func() { ended <- empty.Serve(listener) }()

	return connect(listener.Addr(), nil, func() error {
		empty.Stop()

		return join(<-ended)
	})
}

// transportOptions are those of package server that matter while calls run.
func transportOptions() []grpc.ServerOption {
	config := server.DefaultConfig()

	return []grpc.ServerOption{
		grpc.MaxConcurrentStreams(config.MaxConcurrentStreams),
		grpc.WaitForHandlers(true),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: config.MaxConnectionAge}),
	}
}

// join is errors.Join without the ends that were asked for.
func join(problems ...error) error {
	for i, problem := range problems {
		if errors.Is(problem, grpc.ErrServerStopped) || errors.Is(problem, context.Canceled) {
			problems[i] = nil
		}
	}

	return errors.Join(problems...)
}
