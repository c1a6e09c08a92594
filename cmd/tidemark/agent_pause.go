package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/tidemark-project/tidemark/clients/agent"
)

// toggleOnHangup pauses the agent at the first SIGHUP, resumes it at the second, and so on, until ctx ends. A process that
// was started with SIGHUP ignored, as by nohup, goes on ignoring it: closing a terminal must not pause such an agent.
func toggleOnHangup(ctx context.Context, following *agent.Agent, logger *slog.Logger) error {
	hangups := make(chan os.Signal, 1)

	if signal.Ignored(syscall.SIGHUP) {
		logger.InfoContext(ctx, "SIGHUP was ignored when this agent started, so it does not pause it")
	} else {
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)

		logger.InfoContext(ctx, "SIGHUP pauses this agent, and another one resumes it")
	}

	for {
		select {
		case <-hangups:
			following.TogglePause("SIGHUP")
		case <-ctx.Done():
			return fmt.Errorf("wait for SIGHUP: %w", context.Cause(ctx))
		}
	}
}
