package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/internal/demo"
)

// demoCmd runs the whole product on one machine for people to look at.
type demoCmd struct {
	Fleet    int    `default:"1000" help:"How many services there are; with --usage, how many of the recording at most."`
	Seed     uint64 `default:"1" help:"Makes made-up fleets differ."`
	Usage    string `type:"existingfile" placeholder:"FILE" help:"Replay recorded usage (CSV, plain or gzip) instead of a made-up fleet."`
	Services string `type:"existingfile" placeholder:"FILE" help:"What the recorded services were given (CSV, plain or gzip)."`

	Once    bool          `help:"Without a screen: end after the first scale-up and print it."`
	JSON    bool          `name:"json" help:"With --once, print one JSON object as the last line."`
	Timeout time.Duration `default:"2m" help:"How long getting ready may take, and with --once then the scale-up."`
	Keep    bool          `help:"Keep the data and the logs."`

	PollInterval   time.Duration `default:"2s" help:"How often the ClickHouse source looks for signals."`
	SweepPeriod    time.Duration `default:"2m" help:"How often every service is evaluated without a signal."`
	ScrapeInterval time.Duration `default:"15s" help:"Time between two samples of a service."`
	ResizeDelay    time.Duration `default:"3s" help:"How long the simulated platform takes to give a service another size."`
	RestartDelay   time.Duration `default:"5s" help:"How long a process that has died stays dead."`
	StopGrace      time.Duration `default:"25s" help:"How long a process may take to stop before it is killed."`

	EngineListen string `placeholder:"HOST:PORT" help:"Where ClickHouse listens; a free port when not given."`
	Listen       string `placeholder:"HOST:PORT" help:"Where the server listens; a free port when not given."`
	HTTPListen   string `name:"http-listen" placeholder:"HOST:PORT" help:"Where the server's metrics are; a free port when not given."`

	ClickHouseAddr     []string              `name:"clickhouse-addr" env:"TIDEMARK_CLICKHOUSE_ADDR" placeholder:"HOST:PORT" group:"ClickHouse" help:"A ClickHouse that runs already; without it one is started. A database of its own is made there and dropped at the end."`
	ClickHouseUsername string                `name:"clickhouse-username" env:"TIDEMARK_CLICKHOUSE_USERNAME" default:"default" group:"ClickHouse" help:"ClickHouse user."`
	ClickHousePassword clickhouseconn.Secret `name:"clickhouse-password" env:"TIDEMARK_CLICKHOUSE_PASSWORD" placeholder:"SECRET" group:"ClickHouse" help:"Password of the user."`
	ClickHouseTLS      clickhouseconn.TLS    `embed:"" group:"ClickHouse"`
}

// Help implements kong.HelpProvider.
func (c *demoCmd) Help() string {
	return `A ClickHouse, the server, both sources and an agent run as processes of their own. The demonstration plays the
scraper that measures the services, the platform that resizes them, and a service that runs out of memory. A process
that dies is started again, so try and kill one.`
}

// Run gives the demonstration until ctx ends.
func (c *demoCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}

	return demo.Run(ctx, c.config(executable), out, logger)
}

// config is what the flags say.
func (c *demoCmd) config(executable string) demo.Config {
	clickhouse := clickhouseconn.DefaultConfig()
	clickhouse.Addr = c.ClickHouseAddr
	clickhouse.Username, clickhouse.Password = c.ClickHouseUsername, c.ClickHousePassword
	clickhouse.TLS = c.ClickHouseTLS

	return demo.Config{
		Fleet: c.Fleet, Seed: c.Seed, Usage: c.Usage, Services: c.Services,
		ClickHouse: clickhouse, EngineAddr: c.EngineListen, ServerAddr: c.Listen, HTTPAddr: c.HTTPListen,
		PollInterval: c.PollInterval, SweepPeriod: c.SweepPeriod, ScrapeInterval: c.ScrapeInterval,
		ResizeDelay: c.ResizeDelay, RestartDelay: c.RestartDelay, StopGrace: c.StopGrace,
		Once: c.Once, JSON: c.JSON, Timeout: c.Timeout, Keep: c.Keep, Executable: executable,
	}
}
