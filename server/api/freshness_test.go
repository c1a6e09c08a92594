package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func TestFreshness(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(before time.Duration) *timestamppb.Timestamp { return timestamppb.New(now.Add(-before)) }
	failure := &tidemarkv1.Failure{Message: "away"}

	for name, c := range map[string]struct {
		given *tidemarkv1.Recommendation
		want  tidemarkv1.Freshness
	}{
		"just evaluated": {
			&tidemarkv1.Recommendation{EvaluateTime: at(0), ExpireTime: at(-time.Hour), DataTime: at(time.Minute)},
			tidemarkv1.Freshness_FRESHNESS_FRESH,
		},
		"the last moment": {
			&tidemarkv1.Recommendation{EvaluateTime: at(time.Hour - 1), ExpireTime: at(-1), DataTime: at(time.Hour)},
			tidemarkv1.Freshness_FRESHNESS_FRESH,
		},
		"expired": {
			&tidemarkv1.Recommendation{EvaluateTime: at(time.Hour), ExpireTime: at(0), DataTime: at(time.Hour), Failure: failure},
			tidemarkv1.Freshness_FRESHNESS_EXPIRED,
		},
		"old data": {
			&tidemarkv1.Recommendation{EvaluateTime: at(0), ExpireTime: at(-time.Hour), DataTime: at(time.Hour + 1)},
			tidemarkv1.Freshness_FRESHNESS_STALE,
		},
		"no data": {
			&tidemarkv1.Recommendation{EvaluateTime: at(0), ExpireTime: at(-time.Hour)},
			tidemarkv1.Freshness_FRESHNESS_STALE,
		},
		"the latest evaluation failed": {
			&tidemarkv1.Recommendation{EvaluateTime: at(0), ExpireTime: at(-time.Hour), DataTime: at(0), Failure: failure},
			tidemarkv1.Freshness_FRESHNESS_STALE,
		},
		"never evaluated": {&tidemarkv1.Recommendation{Failure: failure}, tidemarkv1.Freshness_FRESHNESS_STALE},
	} {
		t.Run(name, func(t *testing.T) {
			before := proto.CloneOf(c.given)
			got := withFreshness(c.given, now)
			require.Equal(t, c.want, got.GetFreshness())
			require.True(t, proto.Equal(before, c.given), "it is the hub's")

			got.Freshness = tidemarkv1.Freshness_FRESHNESS_UNSPECIFIED
			require.True(t, proto.Equal(before, got), "all else stays")
		})
	}
}

func TestGetAndListSayTheFreshness(t *testing.T) {
	f := start(t)

	record, err := f.memory.Commit(t.Context(), store.Commit{
		Recommendation: &tidemarkv1.Recommendation{
			Service: "prod/a", EvaluateTime: timestamppb.New(time.Now().Add(-time.Hour)), ExpireTime: timestamppb.Now(),
		},
		Changed: true,
	})
	require.NoError(t, err)
	require.NoError(t, f.hub.WaitFor(t.Context(), record.Revision))

	got, err := f.GetRecommendation(t.Context(), &tidemarkv1.GetRecommendationRequest{Service: "prod/a"})
	require.NoError(t, err)
	require.Equal(t, tidemarkv1.Freshness_FRESHNESS_EXPIRED, got.GetRecommendation().GetFreshness())

	list, err := f.ListRecommendations(t.Context(), &tidemarkv1.ListRecommendationsRequest{})
	require.NoError(t, err)
	require.Equal(t, tidemarkv1.Freshness_FRESHNESS_EXPIRED, list.GetRecommendations()[0].GetFreshness())
	require.Equal(t, tidemarkv1.Freshness_FRESHNESS_UNSPECIFIED, f.record("prod/a").Recommendation.GetFreshness())
}
