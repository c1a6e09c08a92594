package server

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
)

// calls counts the calls that are being answered. gRPC knows of connections that have not closed in time, which need not
// have any.
type calls struct{ underWay atomic.Int64 }

func (c *calls) options() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(
			ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
		) (any, error) {
			c.underWay.Add(1)
			defer c.underWay.Add(-1)

			return handle(ctx, request)
		}),
		grpc.ChainStreamInterceptor(func(
			service any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler,
		) error {
			c.underWay.Add(1)
			defer c.underWay.Add(-1)

			return handle(service, stream)
		}),
	}
}
