package interceptor

import (
	"context"
	"log/slog"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/server/rpcerror"
)

// isStandard reports that the method is of the services that every gRPC server may have, and not of our API.
func isStandard(method string) bool { return strings.HasPrefix(method, "/grpc.") }

// funnelErrors turns whatever a handler returns into an error of the published form, and logs what it hides.
func funnelErrors(logger *slog.Logger) Interceptor {
	funnel := func(ctx context.Context, method string, err error) error {
		if err == nil {
			return nil
		}

		// The standard services have errors of their own, which their clients know.
		if _, is := status.FromError(err); is && isStandard(method) {
			return err
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
