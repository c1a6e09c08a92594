package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	out := flag.String("out", "", "file for the results, as JSON")

	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := runAll(ctx, wholePlan(), *out, os.Stdout)

	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-watch:", err)
		os.Exit(1)
	}
}

// plan is how much is measured.
type plan struct {
	// readers is how many there are in all, a tenth of whom stall.
	readers int
	// services is how many the store knows.
	services int
	// rounds is how often all cases are measured; writes is how many commits there are in each, one every pace.
	rounds, writes int
	pace           time.Duration
	// clients is how many watch the whole server; sweeps is how often every service is changed then.
	clients, sweeps int
}

// wholePlan takes about two minutes on two cores that have nothing else to do.
func wholePlan() plan {
	return plan{
		readers: 1_000, services: 1_000,
		rounds: 7, writes: 1_000, pace: 4 * time.Millisecond,
		clients: 50, sweeps: 20,
	}
}

func (p plan) stalled() int { return p.readers / 10 }

func runAll(ctx context.Context, p plan, out string, to io.Writer) error {
	rounds, err := measureWriter(ctx, p)
	if err != nil {
		return err
	}

	prints, err := footprints(ctx, p)
	if err != nil {
		return err
	}

	rate, transport, err := measureEvents(ctx, p)
	if err != nil {
		return err
	}

	s := summarise(p, rounds, append(prints, transport), rate)
	if err := report(to, s); err != nil {
		return err
	}

	return write(out, s)
}

// write keeps the results.
func write(path string, s *summary) error {
	if path == "" {
		return nil
	}

	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}

	const folder, file = 0o755, 0o644

	err = errors.Join(os.MkdirAll(filepath.Dir(path), folder), os.WriteFile(path, append(content, '\n'), file))
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}

	return nil
}
