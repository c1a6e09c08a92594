package tidemark_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestReportScaling(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	first := server.Put(recommendation("a/x", 100))
	second := server.Put(recommendation("a/x", 200))
	report := func(service string, revision int64) (int64, error) {
		return client.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
			Service: service, Revision: revision, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED, Agent: "kube",
		})
	}

	for _, revision := range []int64{second, first} {
		current, err := report("a/x", revision)
		require.NoError(t, err)
		require.Equal(t, second, current)
	}

	got, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "a/x"})
	require.NoError(t, err)
	require.Equal(t, second, got.GetRevision())
	require.Equal(t, "kube", got.GetScalingReport().GetAgent())
	require.Len(t, server.Reports(), 2)

	_, err = report("a/none", 1)
	require.ErrorContains(t, err, "report on revision 1 of a/none: ")
	require.Equal(t, codes.NotFound, status.Code(err))
	require.Equal(t, "RECOMMENDATION_NOT_FOUND", tidemark.Reason(err))

	_, err = report("a/x", second+1)
	require.Equal(t, "REVISION_UNKNOWN", tidemark.Reason(err))
	require.False(t, tidemark.Retryable(err))
	require.False(t, tidemark.Fatal(err), "the next report may well be taken")
	require.Len(t, server.Reports(), 2)
}

func TestDeleteService(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	server.Put(recommendation("a/x", 100))

	revision, err := client.DeleteService(t.Context(), "a/x")
	require.NoError(t, err)
	require.Equal(t, server.Revision(), revision)
	require.Empty(t, server.Recommendations())

	_, err = client.DeleteService(t.Context(), "a/x")
	require.ErrorContains(t, err, "delete a/x: ")
	require.Equal(t, "SERVICE_NOT_FOUND", tidemark.Reason(err))
}

func TestScalingCallsAreRepeated(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	revision := server.Put(recommendation("a/x", 100))
	failures := make(map[string]int)

	server.FailWith(func(method string) error {
		if failures[method]++; failures[method] == 1 {
			return status.Error(codes.Unavailable, "restarting")
		}

		return nil
	})

	_, err := client.ReportScaling(t.Context(), &tidemarkv1.ReportScalingRequest{
		Service: "a/x", Revision: revision, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED,
	})
	require.NoError(t, err)

	_, err = client.DeleteService(t.Context(), "a/x")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"ReportScaling": 2, "DeleteService": 2}, failures)
}
