// Command tidemark is the whole product in one binary: the server, its sources, its agent, and what a person needs to
// look at them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"
)

// version is set by the build.
var version = "unknown"

// cli is the command line.
type cli struct {
	LogLevel  slog.Level       `default:"info" env:"TIDEMARK_LOG_LEVEL" help:"How much to log: debug, info, warn or error." placeholder:"LEVEL"`
	LogFormat string           `default:"text" enum:"text,json" env:"TIDEMARK_LOG_FORMAT" help:"Form of the log: ${enum}."`
	Version   kong.VersionFlag `help:"Print the version and exit."`

	Server     serverCmd     `cmd:"" help:"Run the server: the queue, the workers and the API."`
	Source     sourceCmd     `cmd:"" help:"Run a source: a process that finds services that need an evaluation."`
	Agent      agentCmd      `cmd:"" help:"Follow the recommendations and print, post or act on each change."`
	Schema     schemaCmd     `cmd:"" help:"Print or apply the ClickHouse tables."`
	Enqueue    enqueueCmd    `cmd:"" help:"Ask that a service be evaluated now."`
	Get        getCmd        `cmd:"" help:"Show how big a service should be, and why."`
	Explain    explainCmd    `cmd:"" help:"Tell how a recommendation came about, with every number."`
	List       listCmd       `cmd:"" help:"List recommendations."`
	Watch      watchCmd      `cmd:"" help:"Follow recommendations as they change."`
	Report     reportCmd     `cmd:"" help:"Tell the server what was done with a recommendation."`
	Delete     deleteCmd     `cmd:"" help:"Make the server forget a service that has gone."`
	Observe    observeCmd    `cmd:"" help:"Say what would have come of recommendations that are only observed."`
	Queue      queueCmd      `cmd:"" help:"Look after the queue: see what waits and what failed, retry, cancel, pause."`
	Clickhouse clickhouseCmd `cmd:"" help:"Run a ClickHouse for development."`
	Policy     policyCmd     `cmd:"" help:"Check, explain or begin a policy file."`
	Backtest   backtestCmd   `cmd:"" help:"Replay recorded usage and say how well it would have been sized."`
	Demo       demoCmd       `cmd:"" help:"Run the whole product on a made-up or recorded fleet."`
}

func main() {
	ctx, stop := interruptible(context.Background())
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)

	stop()

	if err != nil {
		os.Exit(1)
	}
}

// run parses the arguments and runs the command they name. It prints what goes wrong.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	var flags cli

	exited := false
	parser := kong.Must(&flags,
		kong.Name("tidemark"),
		kong.Description("How much CPU and memory, and how many replicas, should each service have?"),
		kong.UsageOnError(),
		kong.Writers(out, errOut),
		kong.Exit(func(int) { exited = true }),
		kong.Vars{"version": version},
	)

	command, err := parser.Parse(args)
	if exited {
		return nil // help or version was asked for, and printed
	}

	if err != nil {
		return complain(errOut, err)
	}

	command.BindTo(ctx, (*context.Context)(nil))
	command.BindTo(out, (*io.Writer)(nil))
	command.Bind(errorOutput{errOut})
	command.Bind(newLogger(errOut, flags.LogLevel, flags.LogFormat))

	if err := command.Run(); err != nil && !errors.Is(err, context.Canceled) {
		return complain(errOut, err)
	}

	return nil
}

// complain prints an error as a person reads it, and returns it.
func complain(errOut io.Writer, err error) error {
	_, _ = fmt.Fprintf(errOut, "tidemark: %v\n", err) // to whom else could that be told

	return err
}

func newLogger(w io.Writer, level slog.Level, format string) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}

	return slog.New(slog.NewTextHandler(w, options))
}
