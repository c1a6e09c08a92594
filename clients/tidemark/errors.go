package tidemark

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// ErrorDomain is the domain of the server's ErrorInfo.
const ErrorDomain = "tidemark.dev"

const reasonPrefix = "ERROR_REASON_"

// Reason returns why the server refused, as an ErrorReason without its prefix, such as "RESUME_TOKEN_EXPIRED". It is
// empty when the error does not come from a Tidemark server.
func Reason(err error) string {
	info := detail[*errdetails.ErrorInfo](err)
	if info.GetDomain() != ErrorDomain {
		return ""
	}

	return info.GetReason()
}

// HasReason reports that the server refused for the reason.
func HasReason(err error, reason tidemarkv1.ErrorReason) bool {
	return reasonPrefix+Reason(err) == reason.String()
}

// RetryDelay returns how long the server asks to wait before the call is tried again; 0 when it does not say.
func RetryDelay(err error) time.Duration {
	return max(0, detail[*errdetails.RetryInfo](err).GetRetryDelay().AsDuration())
}

// Violations returns the fields of the request that break a rule.
func Violations(err error) []*errdetails.BadRequest_FieldViolation {
	return detail[*errdetails.BadRequest](err).GetFieldViolations()
}

// Retryable reports that the same call may succeed later. It is false for what only a change of the request, of the
// caller's rights or of the server's version can mend.
func Retryable(err error) bool {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied, codes.Unauthenticated,
		codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented:
		return false
	case codes.OK, codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted,
		codes.Internal, codes.Unavailable, codes.DataLoss:
		return err != nil
	default:
		return true
	}
}

// Fatal reports that calls like this one will not succeed however long they are tried: the request is wrong, the caller
// is not known or not allowed, or the server does not have the method. It says less than Retryable's opposite, which is
// about one request and not about what a program does all the time.
func Fatal(err error) bool {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented:
		return true
	default:
		return false
	}
}

// detail returns the first detail of its type that the error carries, or that type's zero value.
func detail[T proto.Message](err error) T {
	var none T

	if err == nil {
		return none
	}

	for _, d := range status.Convert(err).Details() {
		if found, ok := d.(T); ok {
			return found
		}
	}

	return none
}
