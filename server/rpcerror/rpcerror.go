// Package rpcerror is the one funnel through which every error of the API goes: it makes a google.rpc.Status with one
// ErrorInfo, whose reason is a value of the published ErrorReason enum, and whatever else helps the caller.
package rpcerror

import (
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Domain is the ErrorInfo domain of all our errors.
const Domain = "tidemark.dev"

// Field is one field of a request that breaks a rule.
type Field struct {
	// Path names the field, such as "requests[3].service".
	Path string
	// Description says what is wrong and what would be right.
	Description string
}

// Error is an error that a caller may see as it is.
type Error struct {
	code     codes.Code
	reason   tidemarkv1.ErrorReason
	message  string
	metadata map[string]string
	details  []protoadapt.MessageV1
}

// New returns an error with a code, a published reason and a message for a person.
func New(code codes.Code, reason tidemarkv1.ErrorReason, message string) *Error {
	return &Error{code: code, reason: reason, message: message}
}

// Internal returns the error that stands for everything a caller cannot mend and should not see.
func Internal() *Error {
	return New(codes.Internal, tidemarkv1.ErrorReason_ERROR_REASON_INTERNAL,
		"internal error; the server's log has the particulars")
}

// InvalidField returns an INVALID_ARGUMENT that names the fields that break a rule.
func InvalidField(fields ...Field) *Error {
	violations := make([]*errdetails.BadRequest_FieldViolation, 0, len(fields))
	texts := make([]string, 0, len(fields))

	for _, f := range fields {
		violations = append(violations, &errdetails.BadRequest_FieldViolation{Field: f.Path, Description: f.Description})
		texts = append(texts, f.Path+": "+f.Description)
	}

	e := New(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT, strings.Join(texts, "; "))
	e.details = append(e.details, &errdetails.BadRequest{FieldViolations: violations})

	return e
}

// With adds a value that the message speaks of, for programs to read.
func (e *Error) With(key, value string) *Error {
	if e.metadata == nil {
		e.metadata = make(map[string]string)
	}

	e.metadata[key] = value

	return e
}

// RetryAfter tells the caller when a retry is worth it.
func (e *Error) RetryAfter(delay time.Duration) *Error {
	e.details = append(e.details, &errdetails.RetryInfo{RetryDelay: durationpb.New(delay)})

	return e
}

// About names the service that the error is about.
func (e *Error) About(service string) *Error {
	e.details = append(e.details, &errdetails.ResourceInfo{
		ResourceType: "tidemark.dev/Service", ResourceName: service, Description: e.message,
	})

	return e.With("service", service)
}

// Error implements error.
func (e *Error) Error() string { return e.message }

// GRPCStatus makes the status; package status finds it by this name.
func (e *Error) GRPCStatus() *status.Status {
	info := &errdetails.ErrorInfo{Reason: ReasonName(e.reason), Domain: Domain, Metadata: e.metadata}
	plain := status.New(e.code, e.message)

	detailed, err := plain.WithDetails(append([]protoadapt.MessageV1{info}, e.details...)...)
	if err != nil {
		return plain
	}

	return detailed
}

// ReasonName is the reason as it stands in an ErrorInfo, without the enum's prefix.
func ReasonName(reason tidemarkv1.ErrorReason) string {
	return strings.TrimPrefix(reason.String(), "ERROR_REASON_")
}
