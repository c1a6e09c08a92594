package rpcerror_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"buf.build/go/protovalidate"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// invalid is what validation says of a request.
func invalid(t *testing.T, request proto.Message) error {
	t.Helper()

	err := protovalidate.Validate(request)
	require.Error(t, err)

	return err
}

// asStatus is the form that the validating interceptor gives it.
func asStatus(t *testing.T, err error) error {
	t.Helper()

	broken, is := errors.AsType[*protovalidate.ValidationError](err)
	require.True(t, is)

	st, err := status.New(codes.InvalidArgument, err.Error()).WithDetails(broken.ToProto())
	require.NoError(t, err)

	return st.Err()
}

// row is one kind of error and what a caller sees of it.
type row struct {
	err      error
	code     codes.Code
	reason   tidemarkv1.ErrorReason
	retry    time.Duration     // in RetryInfo; 0 for none
	resource string            // in ResourceInfo
	fields   []string          // in BadRequest
	metadata map[string]string // in ErrorInfo
	hidden   bool
}

func rows(t *testing.T) map[string]row {
	t.Helper()

	const (
		invalidArgument = tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT
		stopping        = tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN
		paused          = tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_PAUSED
		full            = tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL
		internal        = tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL
		late            = tidemarkv1.ErrorReason_ERROR_REASON_DEADLINE_EXCEEDED
		cancelled       = tidemarkv1.ErrorReason_ERROR_REASON_CANCELLED
	)

	twoFields := &tidemarkv1.EnqueueRequest{Service: "none", RequestId: "none"}

	return map[string]row{
		"no recommendation": {
			err: watch.NotFoundError{Service: "prod/a"}, code: codes.NotFound, resource: "prod/a",
			reason:   tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND,
			metadata: map[string]string{"service": "prod/a"},
		},
		"token": {
			err: watch.TokenError{Why: "it is too old"}, code: codes.OutOfRange,
			reason: tidemarkv1.ErrorReason_ERROR_REASON_RESUME_TOKEN_EXPIRED,
		},
		"revision": {
			err: watch.RevisionNotReachedError{Wanted: 9, Head: 7}, code: codes.Unavailable,
			reason:   tidemarkv1.ErrorReason_ERROR_REASON_REVISION_NOT_REACHED,
			metadata: map[string]string{"head": "7"},
		},
		"slow watcher": {
			err: watch.ErrTooSlow, code: codes.Aborted, reason: tidemarkv1.ErrorReason_ERROR_REASON_WATCHER_TOO_SLOW,
		},
		"many watchers": {
			err: watch.ErrTooManyWatchers, code: codes.ResourceExhausted, retry: time.Second,
			reason: tidemarkv1.ErrorReason_ERROR_REASON_TOO_MANY_WATCHERS,
		},
		"watch stopping": {err: watch.ErrStopping, code: codes.Unavailable, reason: stopping, retry: time.Second},
		"old stream": {
			err: watch.ErrAged, code: codes.Unavailable, reason: tidemarkv1.ErrorReason_ERROR_REASON_STREAM_AGED,
		},
		"filter": {
			err:  watch.FilterError{Field: "filter.label_selector", Description: "at character 3"},
			code: codes.InvalidArgument, reason: invalidArgument, fields: []string{"filter.label_selector"},
		},
		"stream ended": {
			err: watch.StoppingError{RetryAfter: 2 * time.Second}, code: codes.Unavailable, reason: stopping, retry: 2 * time.Second,
		},
		"store closed": {err: store.ErrClosed, code: codes.Unavailable, reason: stopping, retry: time.Second},
		"queue stopping": {
			err:  &queue.RefusedError{Reason: queue.ErrShuttingDown, RetryAfter: 3 * time.Second},
			code: codes.Unavailable, reason: stopping, retry: time.Second,
		},
		"queue full": {
			err:  &queue.RefusedError{Reason: queue.ErrFull, RetryAfter: 3 * time.Second},
			code: codes.ResourceExhausted, reason: full, retry: 3 * time.Second,
		},
		"queue paused": {
			err: &queue.RefusedError{
				Reason: fmt.Errorf("%w by ana: ClickHouse upgrade", queue.ErrPaused), RetryAfter: 3 * time.Second,
			},
			code: codes.Unavailable, reason: paused, retry: 3 * time.Second,
		},
		"queue paused for long": {
			err:  &queue.RefusedError{Reason: queue.ErrPaused, RetryAfter: 8 * time.Hour},
			code: codes.Unavailable, reason: paused, retry: time.Minute,
		},
		"queue request": {err: queue.ErrInvalidRequest, code: codes.InvalidArgument, reason: invalidArgument},
		"rules": {
			err: invalid(t, twoFields), code: codes.InvalidArgument, reason: invalidArgument,
			fields: []string{"service", "request_id"},
		},
		"rules, as a status": {
			err: asStatus(t, invalid(t, twoFields)), code: codes.InvalidArgument, reason: invalidArgument,
			fields: []string{"service", "request_id"},
		},
		"rules of a list": {
			err: invalid(t, &tidemarkv1.ListRecommendationsRequest{Filter: &tidemarkv1.RecommendationFilter{
				Services: []string{"prod/a", "prod"},
			}}),
			code: codes.InvalidArgument, reason: invalidArgument, fields: []string{"filter.services[1]"},
		},
		"our own": {
			err:  rpcerror.New(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN, "no"),
			code: codes.InvalidArgument, reason: tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN,
		},
		"deadline":              {err: context.DeadlineExceeded, code: codes.DeadlineExceeded, reason: late},
		"cancelled":             {err: context.Canceled, code: codes.Canceled, reason: cancelled},
		"status deadline":       {err: status.Error(codes.DeadlineExceeded, "x"), code: codes.DeadlineExceeded, reason: late},
		"status cancelled":      {err: status.Error(codes.Canceled, "x"), code: codes.Canceled, reason: cancelled},
		"status unavailable":    {err: status.Error(codes.Unavailable, "x"), code: codes.Unavailable, reason: stopping},
		"status invalid":        {err: status.Error(codes.InvalidArgument, "x"), code: codes.InvalidArgument, reason: invalidArgument},
		"status unimplemented":  {err: status.Error(codes.Unimplemented, "x"), code: codes.Unimplemented, reason: tidemarkv1.ErrorReason_ERROR_REASON_UNIMPLEMENTED},
		"status internal":       {err: status.Error(codes.Internal, "secret"), code: codes.Internal, reason: internal, hidden: true},
		"status of another":     {err: status.Error(codes.DataLoss, "secret"), code: codes.Internal, reason: internal, hidden: true},
		"anything else":         {err: errors.New("secret: password"), code: codes.Internal, reason: internal, hidden: true},
		"a conflict that leaks": {err: store.ErrConflict, code: codes.Internal, reason: internal, hidden: true},
	}
}

func TestEveryErrorHasItsForm(t *testing.T) {
	for name, c := range rows(t) {
		t.Run(name, func(t *testing.T) {
			// However deep the error lies, the caller sees the same.
			for _, err := range []error{c.err, fmt.Errorf("call: %w", fmt.Errorf("step: %w", c.err))} {
				visible, hidden := rpcerror.From(err)
				require.Equal(t, c.hidden, hidden)

				st := visible.GRPCStatus()
				require.Equal(t, c.code, st.Code())
				require.NotEmpty(t, st.Message())

				info := detailOf[*errdetails.ErrorInfo](st)
				require.NotNil(t, info)
				require.Equal(t, rpcerror.Domain, info.GetDomain())
				require.Equal(t, rpcerror.ReasonName(c.reason), info.GetReason())
				require.Equal(t, c.metadata, info.GetMetadata())

				require.Equal(t, c.retry, detailOf[*errdetails.RetryInfo](st).GetRetryDelay().AsDuration())
				require.Equal(t, c.resource, detailOf[*errdetails.ResourceInfo](st).GetResourceName())

				violations := detailOf[*errdetails.BadRequest](st).GetFieldViolations()
				require.Len(t, violations, len(c.fields))

				for _, v := range violations {
					require.Contains(t, c.fields, v.GetField())
					require.NotEmpty(t, v.GetDescription())
				}

				if c.hidden {
					require.NotContains(t, st.String(), "secret")
				}
			}
		})
	}
}

// Clients switch on reasons, so each that is published must be one that can come.
func TestEveryPublishedReasonIsProduced(t *testing.T) {
	produced := map[tidemarkv1.ErrorReason]bool{
		tidemarkv1.ErrorReason_ERROR_REASON_UNSPECIFIED: true, // never sent
		// Made by the API itself, when the inventory was never read and when there is no such item, service or revision;
		// tested there.
		tidemarkv1.ErrorReason_ERROR_REASON_INVENTORY_UNAVAILABLE: true,
		tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_ITEM_NOT_FOUND:  true,
		tidemarkv1.ErrorReason_ERROR_REASON_SERVICE_NOT_FOUND:     true,
		tidemarkv1.ErrorReason_ERROR_REASON_REVISION_UNKNOWN:      true,
	}
	for _, c := range rows(t) {
		produced[c.reason] = true
	}

	for number, name := range tidemarkv1.ErrorReason_name {
		require.True(t, produced[tidemarkv1.ErrorReason(number)], name)
	}
}
