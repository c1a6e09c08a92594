package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	livepolicies "github.com/tidemark-project/tidemark/server/policies"
)

// policyFlags say where a server's policies are.
type policyFlags struct {
	File string        `name:"policy" type:"path" env:"TIDEMARK_POLICY" placeholder:"FILE" help:"Policy file; without one the built-in policy holds for all services. It is read again when it changes, and at once on SIGHUP."`
	Poll time.Duration `name:"policy-poll" default:"5s" env:"TIDEMARK_POLICY_POLL" help:"How often the policy file is looked at."`
}

// open reads the policies, which Run of the result then keeps up to date.
func (f *policyFlags) open(logger *slog.Logger, registerer prometheus.Registerer) (*livepolicies.Live, error) {
	return livepolicies.New(f.File, f.Poll, logger, registerer)
}

// reloadOnHangup calls reload for each SIGHUP that the process gets until ctx ends.
func reloadOnHangup(ctx context.Context, reload func()) error {
	hangups := make(chan os.Signal, 1)

	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)

	for {
		select {
		case <-hangups:
			reload()
		case <-ctx.Done():
			return fmt.Errorf("wait for SIGHUP: %w", context.Cause(ctx))
		}
	}
}
