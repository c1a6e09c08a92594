package screen_test

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

func TestPlainOutput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer

		s := screen.New(&out)
		<-time.After(1234 * time.Millisecond)
		s.Linef(screen.Alarm, "%d of %s", 3, "all")
		s.Blank()
		s.Linef(screen.Plain, "done")

		require.Equal(t, "    1.2s  3 of all\n\n    1.2s  done\n", out.String())
	})
}

// TestColours uses a device for a terminal: both are character devices, and a device is always there.
func TestColours(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)

	defer device.Close() //nolint:errcheck // nothing was written

	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.True(t, screen.Colourful(device))
	require.False(t, screen.Colourful(&bytes.Buffer{}))

	t.Setenv("NO_COLOR", "1")
	require.False(t, screen.Colourful(device))

	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.False(t, screen.Colourful(device))

	file, err := os.CreateTemp(t.TempDir(), "out")
	require.NoError(t, err)

	defer file.Close() //nolint:errcheck // nothing was written

	t.Setenv("TERM", "xterm")
	require.False(t, screen.Colourful(file))
}

func TestColouredLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer

		s := screen.NewColoured(&out)
		s.Linef(screen.Up, "up")
		s.Linef(screen.Plain, "plain")
		s.Blank()

		require.Equal(t, "\x1b[2m    0.0s\x1b[0m  \x1b[32;1mup\x1b[0m\n    0.0s  plain\n\n", out.String())
	})
}

func TestLog(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer

	s := screen.Log(t.Context(), slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}

			return a
		},
	})))
	s.Linef(screen.Heading, "beginning")
	s.Linef(screen.Detail, "detail")
	s.Linef(screen.Up, "up")
	s.Linef(screen.Status, "status")
	s.Blank()
	s.Linef(screen.Alarm, "  alarm")

	require.Equal(t, "level=INFO msg=beginning\nlevel=WARN msg=alarm\n", out.String())
}
