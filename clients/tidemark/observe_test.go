package tidemark_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestObserveReport(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	server.SetObserveReport(func(r *tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse {
		return &tidemarkv1.GetObserveReportResponse{ServiceCount: int64(r.GetPeriod().AsDuration().Hours())}
	})

	report, err := client.ObserveReport(t.Context(), &tidemarkv1.GetObserveReportRequest{
		Period: durationpb.New(3 * time.Hour),
	})
	require.NoError(t, err)
	require.EqualValues(t, 3, report.GetServiceCount())

	server.FailWith(func(string) error { return status.Error(codes.Internal, "broken") })

	_, err = client.ObserveReport(t.Context(), &tidemarkv1.GetObserveReportRequest{})
	require.ErrorContains(t, err, "get the observe report: ")
}
