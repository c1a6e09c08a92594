package interceptor

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"

	"github.com/tidemark-project/tidemark/server/rpcerror"
)

// Counter counts something.
type Counter interface{ Inc() }

// recoverPanics turns a panic into an error that says nothing of it to the caller; the log gets the stack.
func recoverPanics(logger *slog.Logger, panics Counter) Interceptor {
	option := recovery.WithRecoveryHandlerContext(func(ctx context.Context, panicked any) error {
		panics.Inc()

		method, _ := grpc.Method(ctx)
		logger.ErrorContext(ctx, "handler panicked",
			"method", method, "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))

		return rpcerror.Internal()
	})

	return Interceptor{
		Name:   "recovery",
		Unary:  recovery.UnaryServerInterceptor(option),
		Stream: recovery.StreamServerInterceptor(option),
	}
}
