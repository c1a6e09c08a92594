package rpcerror

import (
	"context"
	"errors"
	"strconv"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// stopRetryDelay is when a caller of a stopping server tries again: by then another has taken over, or it is back.
const stopRetryDelay = time.Second

// maxPauseRetryDelay is how long a caller of a paused queue waits at most: whoever ordered the pause may end it early.
const maxPauseRetryDelay = time.Minute

// From turns any error into one that the caller may see. What it does not know becomes INTERNAL without particulars, and
// hidden then reports that the particulars should go to the log.
func From(err error) (visible *Error, hidden bool) {
	if own, is := errors.AsType[*Error](err); is {
		return own, false
	}

	for _, from := range []func(error) *Error{fromDomain, fromValidation, fromStatus, fromContext} {
		if known := from(err); known != nil {
			return known, false
		}
	}

	return Internal(), true
}

// fromDomain maps the errors of the queue and of the hub.
func fromDomain(err error) *Error {
	var (
		notFound   watch.NotFoundError
		token      watch.TokenError
		stopping   watch.StoppingError
		revision   watch.RevisionNotReachedError
		filter     watch.FilterError
		refused    *queue.RefusedError
		errMessage = err.Error()
	)

	switch {
	case errors.As(err, &notFound):
		return New(codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND, errMessage).
			About(notFound.Service)
	case errors.As(err, &token):
		return New(codes.OutOfRange, tidemarkv1.ErrorReason_ERROR_REASON_RESUME_TOKEN_EXPIRED, errMessage)
	case errors.As(err, &filter):
		return InvalidField(Field{Path: filter.Field, Description: filter.Description})
	case errors.As(err, &revision):
		return New(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_REVISION_NOT_REACHED, errMessage).
			With("head", strconv.FormatInt(revision.Head, 10))
	case errors.Is(err, queue.ErrFull) && errors.As(err, &refused):
		return New(codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL, errMessage).
			RetryAfter(refused.RetryAfter)
	case errors.Is(err, queue.ErrPaused) && errors.As(err, &refused):
		return New(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_PAUSED, refused.Reason.Error()).
			RetryAfter(min(refused.RetryAfter, maxPauseRetryDelay))
	case errors.Is(err, queue.ErrInvalidRequest):
		return New(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT, errMessage)
	case errors.As(err, &stopping):
		return New(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN, errMessage).
			RetryAfter(stopping.RetryAfter)
	case errors.Is(err, queue.ErrShuttingDown), errors.Is(err, watch.ErrStopping), errors.Is(err, store.ErrClosed):
		return New(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN, errMessage).
			RetryAfter(stopRetryDelay)
	case errors.Is(err, watch.ErrAged):
		return New(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_STREAM_AGED, errMessage)
	case errors.Is(err, watch.ErrTooSlow):
		return New(codes.Aborted, tidemarkv1.ErrorReason_ERROR_REASON_WATCHER_TOO_SLOW, errMessage)
	case errors.Is(err, watch.ErrTooManyWatchers):
		return New(codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_TOO_MANY_WATCHERS, errMessage).
			RetryAfter(stopRetryDelay)
	default:
		return nil
	}
}

// fromValidation maps broken rules of the proto to field violations.
func fromValidation(err error) *Error {
	broken, is := errors.AsType[*protovalidate.ValidationError](err)
	if !is {
		return nil
	}

	return InvalidField(fieldsOf(broken.ToProto().GetViolations())...)
}

func fieldsOf(violations []*validate.Violation) []Field {
	fields := make([]Field, 0, len(violations))

	for _, v := range violations {
		fields = append(fields, Field{Path: protovalidate.FieldPathString(v.GetField()), Description: v.GetMessage()})
	}

	return fields
}

// fromStatus gives an error that is a status already the ErrorInfo that it lacks: those of the interceptors and of the
// transport, whose codes are few.
func fromStatus(err error) *Error {
	st, is := status.FromError(err)
	if !is {
		return nil
	}

	for _, detail := range st.Details() {
		if violations, has := detail.(*validate.Violations); has {
			return InvalidField(fieldsOf(violations.GetViolations())...)
		}
	}

	reason, known := statusReasons[st.Code()]
	if !known {
		return nil
	}

	return New(st.Code(), reason, st.Message())
}

var statusReasons = map[codes.Code]tidemarkv1.ErrorReason{
	codes.Unimplemented:    tidemarkv1.ErrorReason_ERROR_REASON_UNIMPLEMENTED,
	codes.Canceled:         tidemarkv1.ErrorReason_ERROR_REASON_CANCELLED,
	codes.DeadlineExceeded: tidemarkv1.ErrorReason_ERROR_REASON_DEADLINE_EXCEEDED,
	codes.InvalidArgument:  tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT,
	codes.Unavailable:      tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN,
}

func fromContext(err error) *Error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return New(codes.DeadlineExceeded, tidemarkv1.ErrorReason_ERROR_REASON_DEADLINE_EXCEEDED, "the deadline passed")
	case errors.Is(err, context.Canceled):
		return New(codes.Canceled, tidemarkv1.ErrorReason_ERROR_REASON_CANCELLED, "the call was cancelled")
	default:
		return nil
	}
}
