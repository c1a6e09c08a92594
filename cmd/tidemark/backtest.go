package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// backtestCmd replays recorded usage.
type backtestCmd struct {
	Usage    []string `type:"existingfile" placeholder:"FILE" group:"What is replayed" help:"Recorded usage (CSV, plain or gzip); may be repeated."`
	Services []string `type:"existingfile" placeholder:"FILE" group:"What is replayed" help:"What the recorded services were given (CSV, plain or gzip); may be repeated."`

	Policy      string   `type:"existingfile" env:"TIDEMARK_POLICY" placeholder:"FILE" group:"How it is sized" help:"Policy file; without one the built-in policy holds."`
	Recommender []string `placeholder:"NAME" group:"How it is sized" help:"Who sizes: stable, balanced, lean, percentile, window-3h, window-30h, static-2x, the name of a policy of --policy, or file for the policy that matches each service. By default file with --policy, and else stable, balanced and lean."`

	Interval time.Duration `default:"10m" group:"How it is played" help:"Time between two regular evaluations, whole minutes."`
	Delay    time.Duration `default:"5m" group:"How it is played" help:"How long a resize takes."`
	Warmup   time.Duration `default:"24h" group:"How it is played" help:"How much of the beginning of each service is not judged."`
	Signals  bool          `default:"true" negatable:"" group:"How it is played" help:"Evaluate at once when usage does not fit into the allocation."`
	Capped   bool          `group:"How it is played" help:"Let recommenders see no more usage than the allocation can hold."`
	Start    startSize     `placeholder:"CPU:MEMORY" group:"How it is played" help:"First size of every service, such as 2:8Gi; otherwise what was provisioned, or what covers the warm-up."`

	JSON     bool   `name:"json" xor:"form" help:"Print one JSON array, one object for each recommender and recording."`
	HTML     string `name:"html" xor:"form" type:"path" placeholder:"FILE" help:"Also write a report with charts, one file that needs no network."`
	Worst    bool   `help:"Also list the ten services that were sized worst."`
	Progress bool   `help:"Show progress on the standard error, even if it is no terminal."`

	Live       liveUsage             `embed:"" group:"Usage in ClickHouse"`
	ClickHouse clickhouseconn.Config `embed:"" group:"ClickHouse"`
}

// Help implements kong.HelpProvider.
func (c *backtestCmd) Help() string {
	return `Replays usage through recommenders and says how well each would have sized the services: how much lay idle, for
how long there was too little, how often sizes changed. The usage is recorded in files, or read from ClickHouse with
--service. A recommender is asked every --interval and what it says takes effect after --delay.`
}

// Run replays and prints.
func (c *backtestCmd) Run(ctx context.Context, out io.Writer, errOut errorOutput, _ *slog.Logger) error {
	config := c.config()
	if err := config.Validate(); err != nil {
		return err
	}

	contenders, err := c.contenders()
	if err != nil {
		return err
	}

	recordings, closeAll, err := c.recordings(ctx)
	if err != nil {
		return err
	}
	defer closeAll()

	meter := newMeter(errOut, c.Progress)
	config.Progress = meter.show

	var played []playedRecording

	for _, recording := range recordings {
		results, err := backtest.Run(ctx, config, recording.name, recording.source, contenders)
		meter.clear()

		if err != nil {
			return err
		}

		if len(results) > 0 && results[0].Services == 0 {
			return fmt.Errorf("%s: holds no service that was recorded for longer than the warm-up of %s; see --warmup",
				recording.name, c.Warmup)
		}

		played = append(played, playedRecording{recording, results})
	}

	if c.HTML != "" {
		config.Progress = nil

		if err := c.writeHTML(ctx, config, contenders, played); err != nil {
			return err
		}
	}

	return c.print(out, played)
}

// playedRecording is a recording and what came of it.
type playedRecording struct {
	recording

	results []backtest.Result
}

func (c *backtestCmd) config() backtest.Config {
	config := backtest.Defaults()
	config.Interval, config.Delay, config.Warmup = c.Interval, c.Delay, c.Warmup
	config.Signals, config.Capped = c.Signals, c.Capped
	config.Start.CPUMillis, config.Start.MemoryBytes = c.Start.CPUMillis, c.Start.MemoryBytes

	return config
}

func (c *backtestCmd) print(out io.Writer, played []playedRecording) error {
	if !c.JSON {
		return printBacktest(out, played, c.Worst)
	}

	results := []backtest.Result{}
	for _, p := range played {
		results = append(results, p.results...)
	}

	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")

	if err := encoder.Encode(results); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, content []byte) error {
	const mode = 0o644

	draft := path + ".part"
	if err := os.WriteFile(draft, content, mode); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}

	if err := os.Rename(draft, path); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}

	return nil
}
