package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
)

// explain turns the error of a call into one that a person can act on. Other errors it returns as they are.
func (f *serverFlags) explain(err error) error {
	var carrier interface{ GRPCStatus() *status.Status }
	if err == nil || !errors.As(err, &carrier) {
		return err
	}

	from := carrier.GRPCStatus()

	switch reason := tidemark.Reason(err); {
	case from.Code() == codes.Canceled:
		return context.Canceled
	case from.Code() == codes.DeadlineExceeded:
		return fmt.Errorf("%s did not answer in time", f.Server)
	case from.Code() == codes.Unavailable && reason == "":
		return fmt.Errorf("cannot reach a server at %s: %s", f.Server, dialFailure(from.Message()))
	case reason == "":
		return fmt.Errorf("%s answered: %s (%s)", f.Server, from.Message(), from.Code())
	default:
		return errors.New(refusal(err, from.Message(), reason))
	}
}

// dialFailure is the heart of gRPC's message about a failed connection.
func dialFailure(message string) string {
	if _, cause, found := strings.Cut(message, "Error while dialing: "); found {
		return strings.TrimSuffix(cause, `"`)
	}

	return message
}

// refusal is what a server of ours said, its details laid out.
func refusal(err error, message, reason string) string {
	var text strings.Builder

	violations := tidemark.Violations(err)
	if len(violations) > 0 {
		message = "the server refused the request"
	}

	fmt.Fprintf(&text, "%s (%s)", message, reason)

	for _, violation := range violations {
		fmt.Fprintf(&text, "\n  %s: %s", violation.GetField(), violation.GetDescription())
	}

	if delay := tidemark.RetryDelay(err); delay > 0 {
		fmt.Fprintf(&text, "\n  try again in %s", max(delay.Round(time.Second), min(delay, time.Second)))
	}

	return text.String()
}
