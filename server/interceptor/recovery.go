package interceptor

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
)

// Counter counts something.
type Counter interface{ Inc() }

// recoverPanics turns a panic into an error that says nothing of it to the caller; the log gets the stack.
func recoverPanics(logger *slog.Logger, panics Counter) Interceptor {
	option := recovery.WithRecoveryHandlerContext(func(ctx context.Context, panicked any) error {
		panics.Inc()
		logger.ErrorContext(ctx, "handler panicked", "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))

		return panicError{}
	})

	return Interceptor{
		Name:   "recovery",
		Unary:  recovery.UnaryServerInterceptor(option),
		Stream: recovery.StreamServerInterceptor(option),
	}
}

// panicError stands for a panic that was logged. The funnel hides it like every error it does not know.
type panicError struct{}

func (panicError) Error() string { return "handler panicked" }
