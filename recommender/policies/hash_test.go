package policies_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// TestWhatChangesAnAnswerChangesTheHash compares each file with the one before.
func TestWhatChangesAnAnswerChangesTheHash(t *testing.T) {
	t.Parallel()

	seen := map[string]string{}

	for _, content := range []string{
		"{}",
		"defaults: {max: {cpu: 8}}",
		"defaults: {recommender: {two_window: {cpu_target: 60%}}}",
		"defaults: {recommender: {profile: lean}}",
		"defaults: {recommender: {profile: stable}}",
		"defaults: {recommender: {percentile: {}}}",
		"defaults: {recommender: {percentile: {margin: 20%}}}",
		"defaults: {recommender: {external: {url: \"http://a/x\"}}}",
		"defaults: {recommender: {external: {url: \"http://b/x\"}}}",
		"policies: [{name: a, match: {services: [\"a/*\"]}}]",
		"policies: [{name: b, match: {services: [\"a/*\"]}}]",
		"policies: [{name: a, match: {services: [\"b/*\"]}}]",
		"policies: [{name: a, match: {services: [\"a/*\"], labels: {tier: gold}}}]",
		"policies: [{name: a, match: {services: [\"a/*\"]}}, {name: b, match: {services: [\"b/*\"]}}]",
		"policies: [{name: b, match: {services: [\"b/*\"]}}, {name: a, match: {services: [\"a/*\"]}}]",
	} {
		hash := parse(t, content).Hash()
		require.Len(t, hash, 16)
		require.Empty(t, seen[hash], "%s has the hash of it", content)
		seen[hash] = content
	}
}

// TestWhatChangesNoAnswerLeavesTheHash: comments, order, and what was there anyway.
func TestWhatChangesNoAnswerLeavesTheHash(t *testing.T) {
	t.Parallel()

	require.Equal(t, policies.Default().Hash(), parse(t, "defaults: {mode: enforce, recommender: {least_cost: {min_coverage: 0.8}}}").Hash())
	require.Equal(t,
		parse(t, "defaults: {max: {cpu: 8, memory: 8Gi}}").Hash(),
		parse(t, "# a comment\ndefaults:\n  max:\n    memory: 8192Mi\n    cpu: 8000m\n").Hash())
	require.Equal(t,
		parse(t, "policies: [{name: a, match: {labels: {x: y, tier: gold}}}]").Hash(),
		parse(t, "policies: [{name: a, match: {labels: {tier: gold, x: y}}}]").Hash())

	// The parameters of the recommender are part of the policy's hash too, which recommendations show.
	require.NotEqual(t,
		parse(t, "{}").For("a/b", nil).Policy.Hash,
		parse(t, "defaults: {recommender: {two_window: {cpu_target: 60%}}}").For("a/b", nil).Policy.Hash)
}
