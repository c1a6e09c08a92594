package tidemark_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestGetSaysThatThereIsNone(t *testing.T) {
	t.Parallel()

	_, client := connected(t)

	_, err := client.Get(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "a/x"})
	require.ErrorContains(t, err, "get the recommendation of a/x: ")
	require.Equal(t, codes.NotFound, status.Code(err))
	require.Equal(t, "RECOMMENDATION_NOT_FOUND", tidemark.Reason(err))
}

func TestListYieldsAllPages(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	for _, service := range []string{"b/2", "a/1", "c/3", "b/1", "b/3"} {
		server.Put(recommendation(service, 100))
	}

	calls := 0

	server.FailWith(func(string) error {
		calls++

		return nil
	})

	var got []string

	for r, err := range client.List(t.Context(), &tidemarkv1.ListRecommendationsRequest{PageSize: 2}) {
		require.NoError(t, err)

		got = append(got, r.GetService())
	}

	require.Equal(t, []string{"a/1", "b/1", "b/2", "b/3", "c/3"}, got)
	require.Equal(t, 3, calls)
}

func TestListFetchesNoMoreThanIsLookedAt(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	server.SetServices(&tidemarkv1.Service{Service: "a/1"}, &tidemarkv1.Service{Service: "a/2"})

	calls := 0

	server.FailWith(func(string) error {
		calls++

		return nil
	})

	for _, err := range client.Services(t.Context(), &tidemarkv1.ListServicesRequest{PageSize: 1}) {
		require.NoError(t, err)

		break
	}

	require.Equal(t, 1, calls)
}

func TestListEndsWithItsError(t *testing.T) {
	t.Parallel()

	server, client := connected(t)
	server.SetServices(&tidemarkv1.Service{Service: "a/1"}, &tidemarkv1.Service{Service: "a/2"})

	calls := 0

	server.FailWith(func(string) error {
		if calls++; calls == 2 {
			return status.Error(codes.Internal, "broken")
		}

		return nil
	})

	var errs []error

	for _, err := range client.Services(t.Context(), &tidemarkv1.ListServicesRequest{PageSize: 1}) {
		errs = append(errs, err)
	}

	require.Len(t, errs, 2)
	require.NoError(t, errs[0])
	require.ErrorContains(t, errs[1], "list services: ")
}
