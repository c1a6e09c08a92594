package interceptor

import (
	"context"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/tidemark-project/tidemark/server/rpcerror"
)

// funnelErrors turns whatever a handler returns into an error of the published form, and logs what it hides.
func funnelErrors(logger *slog.Logger) Interceptor {
	funnel := func(ctx context.Context, method string, err error) error {
		if err == nil {
			return nil
		}

		visible, hidden := rpcerror.From(err)
		if hidden {
			logger.ErrorContext(ctx, "call failed", "method", method, "error", err)
		}

		return visible.GRPCStatus().Err()
	}

	return Interceptor{
		Name: "funnel",
		Unary: func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			response, err := handler(ctx, request)

			return response, funnel(ctx, info.FullMethod, err)
		},
		Stream: func(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
			return funnel(stream.Context(), info.FullMethod, handler(server, stream))
		},
	}
}
