package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// What the README shows works as written.
func TestThePolicyOfTheReadmeIsRight(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)

	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(readme, -1)
	require.NotEmpty(t, blocks)

	for _, block := range blocks {
		set, err := policies.Parse("README.md", block[1])
		require.NoError(t, err)
		require.Equal(t, "databases", set.For("prod/orders-db", map[string]string{"tier": "gold"}).Policy.Name)
		require.Equal(t, "batch", set.For("test/batch-7", nil).Policy.Name)
		require.Equal(t, "default", set.For("prod/orders-db", nil).Policy.Name)
	}
}
