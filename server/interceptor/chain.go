// Package interceptor is the chain that every call to the server goes through.
package interceptor

import (
	"log/slog"

	"buf.build/go/protovalidate"
	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	validation "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/protovalidate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/rpcerror"
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
		countCalls(metrics),
		logCalls(logger),
		funnelErrors(logger),
		recoverPanics(logger, panics),
		{"validate", validation.UnaryServerInterceptor(validator), validation.StreamServerInterceptor(validator)},
	}
}

// countCalls counts calls by method. Callers choose the names of methods that do not exist, and each name would become a
// time series that never ends: such calls are left out.
func countCalls(metrics *grpcprom.ServerMetrics) Interceptor {
	count := metrics.StreamServerInterceptor()

	return Interceptor{
		Name:  "metrics",
		Unary: metrics.UnaryServerInterceptor(),
		Stream: func(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
			if server == nil {
				return handler(server, stream)
			}

			return count(server, stream, info, handler)
		},
	}
}

// unknownMethod answers calls of methods that do not exist: with it they go through the chain like all others, as a stream
// that belongs to no server.
func unknownMethod(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)

	return rpcerror.New(codes.Unimplemented, tidemarkv1.ErrorReason_ERROR_REASON_UNIMPLEMENTED,
		"there is no method "+method+" here")
}

// ServerOptions returns the chain as options of a gRPC server.
func ServerOptions(chain []Interceptor) []grpc.ServerOption {
	unary := make([]grpc.UnaryServerInterceptor, 0, len(chain))
	stream := make([]grpc.StreamServerInterceptor, 0, len(chain))

	for _, link := range chain {
		unary = append(unary, link.Unary)
		stream = append(stream, link.Stream)
	}

	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(unary...),
		grpc.ChainStreamInterceptor(stream...),
		grpc.UnknownServiceHandler(unknownMethod),
	}
}
