package api

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func upper(s fmt.Stringer) string { return strings.ToUpper(s.String()) }

func TestRecommendationsArePaged(t *testing.T) {
	f := start(t)

	const services = 7
	for i := range services {
		f.recommend(fmt.Sprintf("prod/s%d", i))
	}

	request := &tidemarkv1.ListRecommendationsRequest{PageSize: 3}

	var (
		got   []string
		pages int
	)

	for {
		page, err := f.ListRecommendations(t.Context(), request)
		require.NoError(t, err)
		require.EqualValues(t, services, page.GetRevision())

		for _, r := range page.GetRecommendations() {
			got = append(got, r.GetService())
			require.Nil(t, r.GetExplanation(), "lists are basic")
		}

		pages++

		if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
			break
		}
	}

	require.Equal(t, 3, pages)
	require.Len(t, got, services)
	require.IsIncreasing(t, got)
}

func TestPageSizes(t *testing.T) {
	require.Equal(t, recommendationsPage, pageSize(0, recommendationsPage, recommendationsMaxPage))
	require.Equal(t, 7, pageSize(7, recommendationsPage, recommendationsMaxPage))
	require.Equal(t, recommendationsMaxPage, pageSize(1<<30, recommendationsPage, recommendationsMaxPage))
}

// A token goes on with its own list only: with another one it would leave things out without a word.
func TestATokenBelongsToItsList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.lister.set(&tidemarkv1.Service{Service: "prod/a"}, &tidemarkv1.Service{Service: "prod/b"})
		<-time.After(time.Minute)

		f.recommend("prod/a")
		f.recommend("prod/b")

		recommendations, err := f.ListRecommendations(t.Context(), &tidemarkv1.ListRecommendationsRequest{PageSize: 1})
		require.NoError(t, err)

		services, err := f.ListServices(t.Context(), &tidemarkv1.ListServicesRequest{PageSize: 1})
		require.NoError(t, err)

		for name, request := range map[string]*tidemarkv1.ListRecommendationsRequest{
			"another filter": {
				PageToken: recommendations.GetNextPageToken(),
				Filter:    &tidemarkv1.RecommendationFilter{Tenants: []string{"prod"}},
			},
			"another list": {PageToken: services.GetNextPageToken()},
			"no token":     {PageToken: "nonsense"},
		} {
			_, err := f.ListRecommendations(t.Context(), request)
			requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)
			require.ErrorContains(t, err, "page_token", name)
		}

		for _, request := range []*tidemarkv1.ListServicesRequest{
			{PageToken: services.GetNextPageToken(), Tenant: "prod"},
			{PageToken: services.GetNextPageToken(), Labels: map[string]string{"tier": "gold"}},
			{PageToken: recommendations.GetNextPageToken()},
		} {
			_, err := f.ListServices(t.Context(), request)
			requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)
		}

		// How much of each and how many at once are free to change.
		page, err := f.ListRecommendations(t.Context(), &tidemarkv1.ListRecommendationsRequest{
			PageToken: recommendations.GetNextPageToken(), View: tidemarkv1.View_VIEW_FULL, PageSize: 10,
		})
		require.NoError(t, err)
		require.Equal(t, "prod/b", page.GetRecommendations()[0].GetService())
		require.NotNil(t, page.GetRecommendations()[0].GetExplanation())
	})
}

// An inventory that was never read is not an empty one: a sweep would believe that there is nothing to sweep.
func TestServicesAreUnknownUntilTheInventoryWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)

		synctest.Wait()

		_, err := f.ListServices(t.Context(), &tidemarkv1.ListServicesRequest{})
		requireStatus(t, err, codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_INVENTORY_UNAVAILABLE)

		f.lister.set(&tidemarkv1.Service{Service: "prod/b"}, &tidemarkv1.Service{Service: "dev/a"})
		<-time.After(time.Minute)

		page, err := f.ListServices(t.Context(), &tidemarkv1.ListServicesRequest{Tenant: "prod"})
		require.NoError(t, err)
		require.Len(t, page.GetServices(), 1)
		require.Empty(t, page.GetNextPageToken())
		require.NotNil(t, page.GetInventoryTime())
	})
}
