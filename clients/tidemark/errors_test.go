package tidemark_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestWhatAnErrorSays(t *testing.T) {
	t.Parallel()

	err := fmt.Errorf("outer: %w", tidemarktest.Error(
		codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL, "full",
		&errdetails.RetryInfo{RetryDelay: durationpb.New(3 * time.Second)},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "service"}}},
	))

	require.Equal(t, "QUEUE_FULL", tidemark.Reason(err))
	require.True(t, tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL))
	require.False(t, tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL))
	require.Equal(t, 3*time.Second, tidemark.RetryDelay(err))
	require.Equal(t, "service", tidemark.Violations(err)[0].GetField())
}

func TestWhatAnErrorOfOthersDoesNotSay(t *testing.T) {
	t.Parallel()

	foreign, err := status.New(codes.Internal, "no").WithDetails(&errdetails.ErrorInfo{Domain: "else.org", Reason: "X"})
	require.NoError(t, err)

	for _, err := range []error{nil, errors.New("plain"), context.Canceled, foreign.Err()} {
		require.Empty(t, tidemark.Reason(err))
		require.Zero(t, tidemark.RetryDelay(err))
		require.Empty(t, tidemark.Violations(err))
		require.False(t, tidemark.HasReason(err, tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL))
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()

	require.False(t, tidemark.Retryable(nil))
	require.True(t, tidemark.Retryable(errors.New("plain")))
	require.True(t, tidemark.Retryable(status.Error(codes.Unavailable, "")))
	require.True(t, tidemark.Retryable(status.Error(codes.ResourceExhausted, "")))
	require.False(t, tidemark.Retryable(status.Error(codes.InvalidArgument, "")))
	require.False(t, tidemark.Retryable(fmt.Errorf("outer: %w", status.Error(codes.PermissionDenied, ""))))
}
