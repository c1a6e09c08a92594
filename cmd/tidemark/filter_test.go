package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestRecommendationsAreSelectedByLabelsAndChange(t *testing.T) {
	server := tidemarktest.New()
	defer server.Close()

	for _, r := range []*tidemarkv1.Recommendation{
		{Service: "prod/large", Labels: map[string]string{"tier": "gold"}, Recommended: &tidemarkv1.Size{CpuMillis: 1500}},
		{Service: "prod/small", Labels: map[string]string{"tier": "gold"}, Recommended: &tidemarkv1.Size{CpuMillis: 1100}},
		{Service: "prod/other", Labels: map[string]string{"tier": "tin"}, Recommended: &tidemarkv1.Size{CpuMillis: 500}},
		{Service: "prod/bare", Recommended: &tidemarkv1.Size{CpuMillis: 2000}},
	} {
		r.Allocation = &tidemarkv1.Size{CpuMillis: 1000}
		server.Put(r)
	}

	for _, c := range []struct {
		flags []string
		want  []string
	}{
		{[]string{"--selector", "tier in (gold, silver)"}, []string{"prod/large", "prod/small"}},
		{[]string{"--selector", "!tier"}, []string{"prod/bare"}},
		{[]string{"--min-change", "50"}, []string{"prod/bare", "prod/large", "prod/other"}},
		{[]string{"--selector=tier,tier!=tin", "--min-change=12.5"}, []string{"prod/large"}},
	} {
		out := &lines{}
		require.NoError(t, runClient(t.Context(), server, out, append([]string{"list"}, c.flags...)...))

		text := out.taken()
		for _, service := range []string{"prod/bare", "prod/large", "prod/other", "prod/small"} {
			if slices.Contains(c.want, service) {
				require.Contains(t, text, service, c.flags)
			} else {
				require.NotContains(t, text, service, c.flags)
			}
		}
	}

	for _, percent := range []string{"-1", "NaN", "Inf"} {
		err := runClient(t.Context(), server, &lines{}, "list", "--min-change="+percent)
		require.ErrorContains(t, err, "--min-change: ")
	}

	err := runClient(t.Context(), server, &lines{}, "watch", "--selector", "tier in")
	require.ErrorContains(t, err, "filter.label_selector: ")
}
