// Command quality replays recorded usage of real services through our recommenders and through others, and compares how
// well each sizes them: how much lies idle, for how long there is too little, how often sizes change.
//
// All are played by package backtest in the same way and may use the same sizes. The others are the Kubernetes Vertical
// Pod Autoscaler (its own code; see vpa.go), single windows of 3 and 30 hours with its margin, and twice the mean use.
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
	"runtime/debug"
)

func main() {
	traces := flag.String("traces", "../../../shared/traces", "folder of recorded usage")
	out := flag.String("out", "", "file for the results, as JSON")

	flag.Parse()

	// Replays leave much garbage and hold little.
	debug.SetGCPercent(400)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *traces, *out, os.Stdout)

	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, traces, out string, to io.Writer) error {
	recordings, err := findRecordings(traces)
	if err != nil {
		return err
	}

	if len(recordings) == 0 {
		fmt.Fprintf(to, "skipped: there is no recorded usage in %s (TRACES=DIR says where it is)\n", traces) //nolint:errcheck // nothing depends on it

		return nil
	}

	entries, err := entries()
	if err != nil {
		return err
	}

	var rows []*row

	for _, recording := range recordings {
		played, err := play(ctx, recording, entries)
		if err != nil {
			return err
		}

		if err := report(to, recording.name, played); err != nil {
			return err
		}

		rows = append(rows, played...)
	}

	if err := tally(to, rows); err != nil {
		return err
	}

	return write(out, rows)
}

// write keeps the results.
func write(path string, rows []*row) error {
	if path == "" {
		return nil
	}

	content, err := json.MarshalIndent(rows, "", "  ")
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
