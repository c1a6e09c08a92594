package tidemark_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// modelFilters are filters, with what they mean.
var modelFilters = []struct {
	filter *tidemarkv1.RecommendationFilter
	wants  func(service, tier string, from, to int64) bool
}{
	{nil, func(string, string, int64, int64) bool { return true }},
	{
		&tidemarkv1.RecommendationFilter{Tenants: []string{"b"}},
		func(service, _ string, _, _ int64) bool { return service[0] == 'b' },
	},
	{
		&tidemarkv1.RecommendationFilter{LabelSelector: "tier in (gold, silver)"},
		func(_, tier string, _, _ int64) bool { return tier != "" },
	},
	{
		&tidemarkv1.RecommendationFilter{MinChangePercent: 50},
		func(_, _ string, from, to int64) bool { return from == 0 || 2*to >= 3*from || 2*to <= from },
	},
	{
		&tidemarkv1.RecommendationFilter{Services: []string{"a/v", "b/x"}, LabelSelector: "tier!=gold", MinChangePercent: 100},
		func(service, tier string, from, to int64) bool {
			return (service == "a/v" || service == "b/x") && tier != "gold" && to >= 2*from
		},
	},
}

// drawRecommendation makes a recommendation with any size, for a service of any size and labels.
func drawRecommendation(t *rapid.T, service string) *tidemarkv1.Recommendation {
	r := recommendation(service, rapid.Int64Range(1, 9).Draw(t, "cpu"))
	r.Allocation = &tidemarkv1.Size{CpuMillis: rapid.Int64Range(0, 9).Draw(t, "from")}

	if tier := rapid.SampledFrom([]string{"", "gold", "silver"}).Draw(t, "tier"); tier != "" {
		r.Labels = map[string]string{"tier": tier}
	}

	return r
}

// selected returns those that a filter of the model wants.
func selected(which int, all []*tidemarkv1.Recommendation) []*tidemarkv1.Recommendation {
	var wanted []*tidemarkv1.Recommendation

	for _, r := range all {
		from, to := r.GetAllocation().GetCpuMillis(), r.GetRecommended().GetCpuMillis()
		if modelFilters[which].wants(r.GetService(), r.GetLabels()["tier"], from, to) {
			wanted = append(wanted, r)
		}
	}

	return wanted
}

// What no longer matches is yielded as removed, on one stream as well as when it happens between two.
func TestWatchYieldsWhatNoLongerMatchesAsRemoved(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		gold := recommendation("a/x", 1)
		gold.Labels = map[string]string{"tier": "gold"}

		server, f := watching(t, tidemark.WatchOptions{
			Filter: &tidemarkv1.RecommendationFilter{LabelSelector: "tier=gold"},
		})

		server.Put(gold)
		server.Put(recommendation("a/y", 1))
		f.expect(tidemark.SnapshotStarted)
		require.Equal(t, "gold", f.expect(tidemark.Changed).Recommendation.GetLabels()["tier"])
		f.expect(tidemark.CaughtUp)

		server.Put(recommendation("a/x", 1))
		require.Equal(t, "a/x", f.expect(tidemark.Removed).Removed.GetService())

		server.Put(gold)
		require.Equal(t, "a/x", f.expect(tidemark.Changed).Recommendation.GetService())

		server.Disconnect()
		server.Put(recommendation("a/x", 1))
		f.expect(tidemark.Disconnected)
		require.Equal(t, "a/x", f.expect(tidemark.Removed).Removed.GetService())
		f.expect(tidemark.CaughtUp)
	})
}

func TestAWrongSelectorEndsTheWatch(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		_, f := watching(t, tidemark.WatchOptions{Filter: &tidemarkv1.RecommendationFilter{LabelSelector: "tier in"}})

		require.Equal(t, codes.InvalidArgument, status.Code(f.expectEnd()))
	})
}
