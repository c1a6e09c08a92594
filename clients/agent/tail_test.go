package agent

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestATailIsTheEndOfWhatWasWritten(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		var (
			kept tail
			all  bytes.Buffer
		)

		for _, part := range rapid.SliceOfN(rapid.StringN(0, 600, 2000), 0, 5).Draw(t, "parts") {
			part = strings.ReplaceAll(part, "\uFFFD", "?")

			n, err := kept.Write([]byte(part))
			require.NoError(t, err)
			require.Equal(t, len(part), n)
			all.WriteString(part)
		}

		text, want := kept.text(), strings.TrimSpace(all.String())
		require.True(t, utf8.ValidString(text))
		require.LessOrEqual(t, len(kept.kept), maxStderr)
		require.True(t, strings.HasSuffix(want, text))
		require.NotContains(t, text, "\uFFFD", "no half character")

		if all.Len() <= maxStderr {
			require.Equal(t, want, text)
		}
	})
}
