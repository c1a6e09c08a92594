package policies_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

var update = flag.Bool("update", false, "write what is found as what is expected")

// TestBrokenFiles compares everything that is found in a file with what is written beside it.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("testdata/broken/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 25)

	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()

			content, err := os.ReadFile(file)
			require.NoError(t, err)

			_, err = policies.Parse(filepath.Base(file), content)
			require.Error(t, err)

			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(err.Error()+"\n"), 0o600))
			}

			want, readErr := os.ReadFile(golden)
			require.NoError(t, readErr)
			require.Equal(t, string(want), err.Error()+"\n")
		})
	}
}

func TestAFileOfMoreThanOneMebibyteIsRefused(t *testing.T) {
	t.Parallel()

	content := append([]byte("defaults: {mode: off}\n#"), bytes.Repeat([]byte("x"), policies.MaxSize)...)
	_, err := policies.Parse("large.yaml", content)
	require.EqualError(t, err, "large.yaml:1:1: the file has 1048599 bytes: at most 1048576 (1 MiB) are read; "+
		"split the fleet or shorten the lists")

	_, err = policies.Parse("large.yaml", content[:policies.MaxSize])
	require.NoError(t, err)
}

func TestProblemsAreThereToBeWorkedWith(t *testing.T) {
	t.Parallel()

	_, err := policies.Parse("f.yaml", []byte("defaults:\n  mode: of\n"))

	var parse *policies.ParseError

	require.ErrorAs(t, err, &parse)
	require.Equal(t, []policies.Problem{{
		File: "f.yaml", Line: 2, Column: 9, Field: "defaults.mode", Description: `there is no "of": did you mean off?`,
	}}, parse.Problems)
}

func TestOfVeryManyProblemsTheFirstAreKept(t *testing.T) {
	t.Parallel()

	_, err := policies.Parse("f.yaml", []byte("policies:\n"+strings.Repeat("  - gold\n", 1000)))

	var parse *policies.ParseError

	require.ErrorAs(t, err, &parse)
	require.Len(t, parse.Problems, 200)
	require.Equal(t, 800, parse.More)
	require.True(t, strings.HasSuffix(err.Error(), "\nand 800 more"))
}
