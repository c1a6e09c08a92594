// Package interceptor is the chain that every call to the server goes through.
package interceptor

import (
	"log/slog"

	"buf.build/go/protovalidate"
	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	validation "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/protovalidate"
	"google.golang.org/grpc"
)

// Interceptor is one link of the chain. Both forms belong to it, so that a stream can never lack what a unary call has.
type Interceptor struct {
	// Name is what the link is for.
	Name string
	// Unary and Stream are its two forms.
	Unary  grpc.UnaryServerInterceptor
	Stream grpc.StreamServerInterceptor
}

// Chain returns the links, the outermost first. Metrics and logging see the status that the caller sees; a panic becomes
// an error before the funnel, so that it is counted and logged like any other; validation is innermost, because what it
// finds is an error like those of the handlers.
func Chain(logger *slog.Logger, metrics *grpcprom.ServerMetrics, panics Counter, validator protovalidate.Validator) []Interceptor {
	return []Interceptor{
		{"metrics", metrics.UnaryServerInterceptor(), metrics.StreamServerInterceptor()},
		logCalls(logger),
		funnelErrors(logger),
		recoverPanics(logger, panics),
		{"validate", validation.UnaryServerInterceptor(validator), validation.StreamServerInterceptor(validator)},
	}
}

// ServerOptions returns the chain as options of a gRPC server.
func ServerOptions(chain []Interceptor) []grpc.ServerOption {
	unary := make([]grpc.UnaryServerInterceptor, 0, len(chain))
	stream := make([]grpc.StreamServerInterceptor, 0, len(chain))

	for _, link := range chain {
		unary = append(unary, link.Unary)
		stream = append(stream, link.Stream)
	}

	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(unary...), grpc.ChainStreamInterceptor(stream...)}
}
