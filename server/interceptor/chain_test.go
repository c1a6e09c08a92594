package interceptor_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"buf.build/go/protovalidate"
	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/interceptor"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// requireReason checks an error's code and its ErrorInfo.
func requireReason(t *testing.T, err error, code codes.Code, reason tidemarkv1.ErrorReason) {
	t.Helper()
	require.Equal(t, code, status.Code(err), err)
	require.NotEmpty(t, status.Convert(err).Details())

	info, is := status.Convert(err).Details()[0].(*errdetails.ErrorInfo)
	require.True(t, is)
	require.Equal(t, rpcerror.ReasonName(reason), info.GetReason())
}

func TestTheChainIsNamedAndTwofold(t *testing.T) {
	validator, err := protovalidate.New()
	require.NoError(t, err)

	chain := interceptor.Chain(slog.New(slog.DiscardHandler), grpcprom.NewServerMetrics(), &counter{}, validator)
	names := make([]string, 0, len(chain))

	for _, link := range chain {
		names = append(names, link.Name)
		require.NotNil(t, link.Unary, link.Name)
		require.NotNil(t, link.Stream, link.Name)
	}

	require.Equal(t, []string{"metrics", "logging", "funnel", "recovery", "validate"}, names)
}

func TestWhatSucceedsPassesThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		calls := f.calls(t)
		require.NoError(t, calls["Enqueue"]())
		require.ErrorIs(t, calls["WatchRecommendations"](), io.EOF)
	})
}

func TestAPanicDoesNotLeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.service.set(func() error { panic("secret at 0xdeadbeef") })

		for method, call := range f.calls(t) {
			before := f.panics.Load()
			f.log.taken(t)

			err := call()
			requireReason(t, err, codes.Internal, tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL)
			require.NotContains(t, status.Convert(err).Proto().String(), "0xdeadbeef")
			require.NotContains(t, status.Convert(err).Proto().String(), "goroutine")
			require.Equal(t, before+1, f.panics.Load())

			synctest.Wait()

			entries := f.log.taken(t)
			require.Len(t, entries, 2, "what happened, and the line of the call")
			require.Equal(t, "secret at 0xdeadbeef", entries[0]["panic"])
			require.Contains(t, entries[0]["stack"], "chain_test.go")
			require.Equal(t, "/tidemark.v1.RecommendationService/"+method, entries[0]["method"])
			require.NotContains(t, entries[1], "stack")
		}
	})
}

func TestErrorsOfHandlersGetTheirForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		for _, call := range f.calls(t) {
			f.service.set(func() error { return &queue.RefusedError{Reason: queue.ErrFull, RetryAfter: 1} })
			requireReason(t, call(), codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL)

			f.service.set(func() error { return errors.New("password in plain text") })

			err := call()
			requireReason(t, err, codes.Internal, tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL)
			require.NotContains(t, err.Error(), "password")
		}
	})
}

func TestValidationComesBeforeTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.service.set(func() error { return errors.New("the handler was called") })

		_, unary := f.Enqueue(t.Context(), &tidemarkv1.EnqueueRequest{Service: "none"})
		stream := f.watch(t, &tidemarkv1.WatchRecommendationsRequest{
			Filter: &tidemarkv1.RecommendationFilter{Services: []string{"none"}},
		})

		for field, err := range map[string]error{"service": unary, "filter.services[0]": stream} {
			requireReason(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)

			details := status.Convert(err).Details()
			require.Len(t, details, 2, "ErrorInfo and BadRequest, and nothing of the validator's own")

			bad, is := details[1].(*errdetails.BadRequest)
			require.True(t, is)
			require.Equal(t, field, bad.GetFieldViolations()[0].GetField())
			require.NotEmpty(t, bad.GetFieldViolations()[0].GetDescription())
		}
	})
}

func TestMethodsThatDoNotExist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		for _, method := range []string{"/tidemark.v1.RecommendationService/Nothing", "/tidemark.v9.Other/Nothing"} {
			err := f.conn.Invoke(t.Context(), method, &tidemarkv1.EnqueueRequest{}, &tidemarkv1.EnqueueResponse{})
			requireReason(t, err, codes.Unimplemented, tidemarkv1.ErrorReason_ERROR_REASON_UNIMPLEMENTED)
			require.ErrorContains(t, err, method)
		}
	})
}

// Clients of the standard services know the errors that those have, not ours.
func TestStandardServicesKeepTheirErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		_, err := healthpb.NewHealthClient(f.conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: "unknown"})
		require.Equal(t, codes.NotFound, status.Code(err), err)
		require.Empty(t, status.Convert(err).Details())
	})
}

// What is no status is hidden whoever it comes from.
func TestStandardServicesDoNotLeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		validator, err := protovalidate.New()
		require.NoError(t, err)

		for _, link := range interceptor.Chain(slog.New(slog.DiscardHandler), grpcprom.NewServerMetrics(), &counter{}, validator) {
			if link.Name != "funnel" {
				continue
			}

			_, err := link.Unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: "/grpc.health.v1.Health/Check"},
				func(context.Context, any) (any, error) { return nil, errors.New("secret") })
			requireReason(t, err, codes.Internal, tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL)
		}
	})
}
