package tidemarktest

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Error returns an error as the real server makes it: with an ErrorInfo, and further details if given.
func Error(code codes.Code, reason tidemarkv1.ErrorReason, message string, details ...protoadapt.MessageV1) error {
	info := &errdetails.ErrorInfo{
		Domain: tidemark.ErrorDomain,
		Reason: strings.TrimPrefix(reason.String(), "ERROR_REASON_"),
	}

	detailed, err := status.New(code, message).WithDetails(append([]protoadapt.MessageV1{info}, details...)...)
	if err != nil {
		panic(err) // only for code OK
	}

	return detailed.Err() //nolint:wrapcheck // it is the answer
}
