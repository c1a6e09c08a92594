package api

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestListsAreFilteredByLabelsAndChange(t *testing.T) {
	f := start(t)

	const services = 12
	for i := range int64(services) {
		record, err := f.memory.Commit(t.Context(), store.Commit{
			Recommendation: &tidemarkv1.Recommendation{
				Service:     fmt.Sprintf("prod/s%02d", i),
				Allocation:  &tidemarkv1.Size{CpuMillis: 100},
				Recommended: &tidemarkv1.Size{CpuMillis: 100 + 10*i},
				Labels:      map[string]string{"shard": strconv.FormatInt(i%3, 10)},
			},
			Changed: true,
		})
		require.NoError(t, err)
		require.NoError(t, f.hub.WaitFor(t.Context(), record.Revision))
	}

	for _, c := range []struct {
		filter *tidemarkv1.RecommendationFilter
		want   []string
	}{
		{&tidemarkv1.RecommendationFilter{LabelSelector: "shard in (0)"}, []string{"s00", "s03", "s06", "s09"}},
		{&tidemarkv1.RecommendationFilter{LabelSelector: "shard>1"}, []string{"s02", "s05", "s08", "s11"}},
		{&tidemarkv1.RecommendationFilter{MinChangePercent: 90}, []string{"s09", "s10", "s11"}},
		{&tidemarkv1.RecommendationFilter{LabelSelector: "shard!=1", MinChangePercent: 80.5}, []string{"s09", "s11"}},
	} {
		request := &tidemarkv1.ListRecommendationsRequest{Filter: c.filter, PageSize: 2}

		var got []string

		for more := true; more; more = request.GetPageToken() != "" {
			page, err := f.ListRecommendations(t.Context(), request)
			require.NoError(t, err)

			for _, r := range page.GetRecommendations() {
				got = append(got, strings.TrimPrefix(r.GetService(), "prod/"))
				require.NotEmpty(t, r.GetLabels())
			}

			if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
				continue
			}

			for _, other := range []*tidemarkv1.RecommendationFilter{
				{LabelSelector: "shard", MinChangePercent: c.filter.GetMinChangePercent()},
				{LabelSelector: c.filter.GetLabelSelector(), MinChangePercent: 7},
			} {
				_, err := f.ListRecommendations(t.Context(), &tidemarkv1.ListRecommendationsRequest{
					Filter: other, PageToken: request.GetPageToken(),
				})
				requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)
			}
		}

		require.Equal(t, c.want, got, c.filter)
	}
}

// A selector that cannot be read is named, whoever asks.
func TestAWrongSelectorIsABadRequest(t *testing.T) {
	f := start(t)
	wrong := &tidemarkv1.RecommendationFilter{LabelSelector: "tier=gold, zone in a"}

	_, listed := f.ListRecommendations(t.Context(), &tidemarkv1.ListRecommendationsRequest{Filter: wrong})

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	watched := f.WatchRecommendations(&tidemarkv1.WatchRecommendationsRequest{Filter: wrong}, &fakeStream{ctx: ctx, cancel: cancel})

	for _, err := range []error{listed, watched} {
		st := requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
		require.Contains(t, st.Message(), "filter.label_selector: at character 12: ")

		bad, is := st.Details()[1].(*errdetails.BadRequest)
		require.True(t, is)
		require.Len(t, bad.GetFieldViolations(), 1)
		require.Equal(t, "filter.label_selector", bad.GetFieldViolations()[0].GetField())
		require.Contains(t, bad.GetFieldViolations()[0].GetDescription(), "key in (a, b)")
	}
}

func TestTheRulesOfFilters(t *testing.T) {
	f := start(t)

	for filter, fine := range map[*tidemarkv1.RecommendationFilter]bool{
		{MinChangePercent: 0}:                              true,
		{MinChangePercent: 0.5}:                            true,
		{MinChangePercent: 1e6}:                            true,
		{MinChangePercent: -1}:                             false,
		{MinChangePercent: math.NaN()}:                     false,
		{MinChangePercent: math.Inf(1)}:                    false,
		{LabelSelector: "tier in (gold)"}:                  true,
		{LabelSelector: "a=" + strings.Repeat("b", 1<<12)}: false,
	} {
		err := f.validator.Validate(&tidemarkv1.WatchRecommendationsRequest{Filter: filter})
		if fine {
			require.NoError(t, err, filter)

			continue
		}

		st := requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT)
		require.Contains(t, st.Message(), "filter.", filter)
	}
}
