package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
)

// gate is what must be open for anything to be acted on.
type gate struct {
	stopFile string
	logger   *slog.Logger

	mu      sync.Mutex
	paused  string // by whom or what; empty when it is not
	stopped bool   // the stop file was there when it was last looked for
}

// closed returns why nothing is to be acted on now; "" when it may be.
func (g *gate) closed(ctx context.Context) string {
	g.mu.Lock()
	defer g.mu.Unlock()

	if why := g.stopFileIsThere(ctx); why != "" {
		return why
	}

	if g.paused != "" {
		return "the agent is paused: " + g.paused
	}

	return ""
}

// stopFileIsThere looks for the stop file. If it cannot tell, somebody may have meant to stop the agent. The caller holds
// the lock.
func (g *gate) stopFileIsThere(ctx context.Context) string {
	if g.stopFile == "" {
		return ""
	}

	_, err := os.Lstat(g.stopFile)
	why := ""

	switch {
	case err == nil:
		why = fmt.Sprintf("the stop file %s exists", g.stopFile)
	case !errors.Is(err, fs.ErrNotExist):
		why = fmt.Sprintf("cannot tell whether the stop file exists: %v", err)
	}

	if stopped := why != ""; stopped != g.stopped {
		g.stopped = stopped

		if stopped {
			g.logger.WarnContext(ctx, "STOPPED: nothing is acted on until the stop file is removed", "reason", why)
		} else {
			g.logger.WarnContext(ctx, "the stop file is gone: acting again", "stop_file", g.stopFile)
		}
	}

	return why
}

// pause closes the gate, and reports that it was open.
func (g *gate) pause(why string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()

	was := g.paused
	g.paused = why

	return was == ""
}

// resume opens the gate, and reports that it was closed.
func (g *gate) resume() bool {
	g.mu.Lock()
	defer g.mu.Unlock()

	was := g.paused
	g.paused = ""

	return was != ""
}
