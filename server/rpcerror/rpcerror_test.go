package rpcerror_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/rpcerror"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// detailOf returns a detail of a status; nil when it has none.
func detailOf[D any](st *status.Status) D {
	for _, d := range st.Details() {
		if found, is := d.(D); is {
			return found
		}
	}

	var none D

	return none
}

func TestAnErrorIsAStatusWithAllThatWasSaid(t *testing.T) {
	err := rpcerror.New(codes.Aborted, tidemarkv1.ErrorReason_ERROR_REASON_WATCHER_TOO_SLOW, "too slow").
		With("limit", "30s").About("prod/a").RetryAfter(2 * time.Second)
	require.EqualError(t, err, "too slow")

	st, is := status.FromError(err)
	require.True(t, is, "package status finds it")
	require.Equal(t, codes.Aborted, st.Code())
	require.Equal(t, "too slow", st.Message())
	require.Len(t, st.Details(), 3)

	info := detailOf[*errdetails.ErrorInfo](st)
	require.Equal(t, "WATCHER_TOO_SLOW", info.GetReason())
	require.Equal(t, rpcerror.Domain, info.GetDomain())
	require.Equal(t, map[string]string{"limit": "30s", "service": "prod/a"}, info.GetMetadata())

	require.Equal(t, "prod/a", detailOf[*errdetails.ResourceInfo](st).GetResourceName())
	require.Equal(t, 2*time.Second, detailOf[*errdetails.RetryInfo](st).GetRetryDelay().AsDuration())
}

func TestInvalidFieldsAreNamed(t *testing.T) {
	st := rpcerror.InvalidField(
		rpcerror.Field{Path: "service", Description: "must not be empty"},
		rpcerror.Field{Path: "requests[3].detail", Description: "too long"},
	).GRPCStatus()
	require.Equal(t, codes.InvalidArgument, st.Code())
	require.Equal(t, "service: must not be empty; requests[3].detail: too long", st.Message())

	violations := detailOf[*errdetails.BadRequest](st).GetFieldViolations()
	require.Len(t, violations, 2)
	require.Equal(t, "requests[3].detail", violations[1].GetField())
	require.Equal(t, "too long", violations[1].GetDescription())
}
