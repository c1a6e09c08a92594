package policies_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// FuzzParse checks that no file makes Parse panic, that every problem has a place, and that what a file says can be
// written down and read again.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/broken/*.yaml", "testdata/good/*.yaml", "builtin.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)

		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(content, "prod/orders-db", "tier", "gold")
		}
	}

	f.Fuzz(func(t *testing.T, content []byte, service, label, value string) {
		s, err := policies.Parse("fuzz.yaml", content)
		if err != nil {
			var parse *policies.ParseError

			require.ErrorAs(t, err, &parse)
			require.NotEmpty(t, parse.Problems)

			for _, p := range parse.Problems {
				require.Positive(t, p.Line)
				require.Positive(t, p.Column)
				require.NotEmpty(t, p.Description)
			}

			return
		}

		requireExplained(t, s, service, map[string]string{label: value})
	})
}
