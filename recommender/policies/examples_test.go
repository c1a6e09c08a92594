package policies_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
)

// TestExamples reads the examples: there is one for each recommender and each mode, and each does what it says.
func TestExamples(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("../../examples/policies/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)

	recommenders, modes := map[string]bool{}, map[policy.Mode]bool{}

	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)

		s := parse(t, string(content))
		for _, e := range s.Policies() {
			recommenders[e.Recommender.Name()] = true
			modes[e.Policy.Mode] = true
			require.NoError(t, e.Policy.Validate())
		}

		requireExplained(t, s, "prod/orders-db", map[string]string{"tier": "gold"})
	}

	for _, name := range []string{"least_cost", "two_window", "threshold", "percentile", "replicas", "external"} {
		require.True(t, recommenders[name], "there is an example of %s", name)
	}

	for _, mode := range policy.Modes() {
		require.True(t, modes[mode], "there is an example of mode %s", mode)
	}
}
