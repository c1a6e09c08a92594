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
)

func main() {
	out := flag.String("out", "", "file for the results, as JSON")

	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := runAll(ctx, wholePlan(), *out, os.Stdout)

	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-queue:", err)
		os.Exit(1)
	}
}

// plan is how much is measured.
type plan struct {
	// sizes are the numbers of distinct keys, in rising order.
	sizes []sizePlan
	// operations is how many are measured in a round, at least.
	operations int
	// callRounds is the number of rounds of calls, each of calls unary ones and of batches.
	callRounds, calls, batches, batchSize int
}

// sizePlan is one number of keys, and in how many rounds.
type sizePlan struct{ keys, rounds int }

// wholePlan takes about five minutes on two cores that have nothing else to do. How much goroutines get into each other's way
// differs from round to round, for every queue, so that a few rounds say little.
func wholePlan() plan {
	return plan{
		sizes:      []sizePlan{{1_000, 21}, {100_000, 11}, {1_000_000, 7}},
		operations: 100_000,
		callRounds: 5, calls: 20_000, batches: 300, batchSize: 1_000,
	}
}

func runAll(ctx context.Context, p plan, out string, to io.Writer) error {
	rates, err := measureCalls(ctx, p)
	if err != nil {
		return err
	}

	rows, err := compareQueues(ctx, p)
	if err != nil {
		return err
	}

	prints, err := footprints(p.sizes[len(p.sizes)-1].keys)
	if err != nil {
		return err
	}

	s := summariseAll(rows, prints, rates)
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
