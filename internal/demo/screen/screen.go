// Package screen prints what happens, line by line, for people: with colours on a terminal, without them elsewhere or
// when the variable NO_COLOR is set.
package screen

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Style is how a line looks.
type Style string

// The styles, as ANSI codes.
const (
	Plain   Style = ""
	Heading Style = "1"    // bold
	Detail  Style = "2"    // dim
	Good    Style = "32"   // green
	Notice  Style = "33"   // yellow
	Alarm   Style = "31"   // red
	Up      Style = "32;1" // bold green
	Down    Style = "36"   // cyan
	Status  Style = "34"   // blue
)

// Screen prints lines. It is safe for concurrent use.
type Screen struct {
	began time.Time
	emit  func(style Style, elapsed time.Duration, text string)
}

// New returns a screen on out.
func New(out io.Writer) *Screen { return onWriter(out, colourful(out)) }

func onWriter(out io.Writer, colour bool) *Screen {
	var mu sync.Mutex // keeps lines whole

	return &Screen{began: time.Now(), emit: func(style Style, elapsed time.Duration, text string) {
		line := layout(style, elapsed, text, colour)

		mu.Lock()
		defer mu.Unlock()

		// There is nobody to tell when nobody can read it.
		_, _ = io.WriteString(out, line+"\n")
	}}
}

func layout(style Style, elapsed time.Duration, text string, colour bool) string {
	switch {
	case text == "":
		return ""
	case colour && style != Plain:
		return fmt.Sprintf("\x1b[2m%7.1fs\x1b[0m  \x1b[%sm%s\x1b[0m", elapsed.Seconds(), style, text)
	default:
		return fmt.Sprintf("%7.1fs  %s", elapsed.Seconds(), text)
	}
}

// Log returns a screen that is a log: alarms are warnings; details, status and single changes show only when debugging.
func Log(ctx context.Context, logger *slog.Logger) *Screen {
	levels := map[Style]slog.Level{
		Detail: slog.LevelDebug, Status: slog.LevelDebug, Up: slog.LevelDebug, Down: slog.LevelDebug,
		Alarm: slog.LevelWarn,
	}

	return &Screen{began: time.Now(), emit: func(style Style, _ time.Duration, text string) {
		if text = strings.TrimSpace(text); text != "" {
			logger.Log(ctx, levels[style], text)
		}
	}}
}

// Linef prints one line, with the time since the beginning in front.
func (s *Screen) Linef(style Style, format string, args ...any) {
	s.emit(style, time.Since(s.began), fmt.Sprintf(format, args...))
}

// Blank prints an empty line.
func (s *Screen) Blank() { s.emit(Plain, 0, "") }

// colourful reports that out is a terminal whose user has nothing against colours.
func colourful(out io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}

	file, ok := out.(*os.File)
	if !ok {
		return false
	}

	info, err := file.Stat()

	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
