package interceptor

import (
	"context"
	"log/slog"
	"strings"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/logging"
	"google.golang.org/grpc/codes"
)

// logCalls writes one line for each call when it has ended.
func logCalls(logger *slog.Logger) Interceptor {
	sink := logging.LoggerFunc(func(ctx context.Context, level logging.Level, message string, fields ...any) {
		logger.Log(ctx, levelOf(level, fields), message, fields...)
	})
	options := []logging.Option{
		logging.WithLogOnEvents(logging.FinishCall),
		logging.WithLevels(levelOfCode),
		logging.WithDisableLoggingFields(logging.ComponentFieldKey, logging.MethodTypeFieldKey),
	}

	return Interceptor{
		Name:   "logging",
		Unary:  logging.UnaryServerInterceptor(sink, options...),
		Stream: logging.StreamServerInterceptor(sink, options...),
	}
}

// levelOfCode says how much a person wants to hear of an outcome.
func levelOfCode(code codes.Code) logging.Level {
	switch code {
	case codes.Unknown, codes.Internal, codes.DataLoss:
		return logging.LevelError
	case codes.ResourceExhausted, codes.Unavailable, codes.Aborted, codes.DeadlineExceeded, codes.Unimplemented:
		return logging.LevelWarn
	default:
		return logging.LevelInfo
	}
}

// levelOf lowers the level of health checks and reflection, which are no work of ours.
func levelOf(level logging.Level, fields []any) slog.Level {
	for i := 0; i+1 < len(fields); i += 2 {
		if name, is := fields[i+1].(string); is && fields[i] == logging.ServiceFieldKey && strings.HasPrefix(name, "grpc.") {
			return slog.LevelDebug
		}
	}

	return slog.Level(level)
}
