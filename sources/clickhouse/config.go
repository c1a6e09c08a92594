// Package clickhouse is the source that watches a table of signals in ClickHouse: every few seconds it reads the rows
// that have arrived, and has the services that they name evaluated at once.
package clickhouse

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// Config says what is watched and how.
type Config struct {
	// Database holds the table. It has no flag here because the connection's settings have it.
	Database string `kong:"-"`
	// Table is the table of signals.
	Table string `name:"clickhouse-signals-table" env:"TIDEMARK_CLICKHOUSE_SIGNALS_TABLE" default:"recommendation_signals" help:"Table of the signals."`
	// Columns are the table's columns.
	Columns Columns `embed:""`
	// PollInterval is the time from the start of one poll to the start of the next.
	PollInterval time.Duration `name:"signals-poll-interval" env:"TIDEMARK_SIGNALS_POLL_INTERVAL" default:"2s" help:"How often the table is read."`
	// PollTimeout bounds one query.
	PollTimeout time.Duration `name:"signals-poll-timeout" env:"TIDEMARK_SIGNALS_POLL_TIMEOUT" default:"10s" help:"How long one query may take."`
	// Lookback is how far back the first poll after a start reads.
	Lookback time.Duration `name:"signals-lookback" env:"TIDEMARK_SIGNALS_LOOKBACK" default:"5m" help:"How far back the first read after a start goes."`
	// Lag is how long a row may take, at most as a rule, from the arrival time it bears until it can be read.
	Lag time.Duration `name:"signals-lag" env:"TIDEMARK_SIGNALS_LAG" default:"5s" help:"How long after its arrival time a row may become visible."`
	// Overlap is how much of what was read is read again, for rows that became visible later than Lag and for servers
	// whose clocks differ.
	Overlap time.Duration `name:"signals-overlap" env:"TIDEMARK_SIGNALS_OVERLAP" default:"30s" help:"How much of what was read is read again, for late rows."`
	// MaxOverlap is how far Overlap grows when a server turns out to be behind.
	MaxOverlap time.Duration `name:"signals-max-overlap" env:"TIDEMARK_SIGNALS_MAX_OVERLAP" default:"5m" help:"How far the overlap grows when a server turns out to be behind."`
	// MaxWindow is the most time that one query covers beyond the overlap; a longer gap is made up for in several.
	MaxWindow time.Duration `name:"signals-max-window" env:"TIDEMARK_SIGNALS_MAX_WINDOW" default:"5m" help:"The most time that one query covers."`
	// Retention is how long the table keeps rows: a longer gap cannot be made up for.
	Retention time.Duration `name:"signals-retention" env:"TIDEMARK_SIGNALS_RETENTION" default:"1h" help:"How long the table keeps rows."`
	// MaxRemembered bounds the signals that are remembered so as not to be sent twice. When there are more, the oldest
	// are forgotten and may be sent again.
	MaxRemembered int `name:"signals-max-remembered" env:"TIDEMARK_SIGNALS_MAX_REMEMBERED" default:"500000" help:"Most signals that are remembered so as not to be sent twice."`
}

// Columns are the names of the columns. The times may be DateTime or DateTime64 of any precision.
type Columns struct {
	// Service is the service's key.
	Service string `name:"signals-service-column" default:"service_name" help:"Column of the service's key."`
	// Metric is what was seen.
	Metric string `name:"signals-metric-column" default:"metric_name" help:"Column of the metric's name."`
	// Value is how much of it.
	Value string `name:"signals-value-column" default:"metric_value" help:"Column of the metric's value."`
	// ScrapeTime is when it was seen.
	ScrapeTime string `name:"signals-scrape-time-column" default:"scrape_ts" help:"Column of the time of the scrape."`
	// ArrivalTime is when ClickHouse got the row, by its own clock. Rows are read by it.
	ArrivalTime string `name:"signals-arrival-time-column" default:"arrival_ts" help:"Column of the time the row arrived."`
}

// DefaultConfig returns what the flags default to.
func DefaultConfig() Config {
	names := clickhouseschema.DefaultNames()

	return Config{
		Database: names.Database,
		Table:    names.Signals,
		Columns: Columns{
			Service: "service_name", Metric: "metric_name", Value: "metric_value",
			ScrapeTime: "scrape_ts", ArrivalTime: "arrival_ts",
		},
		PollInterval:  2 * time.Second,
		PollTimeout:   10 * time.Second,
		Lookback:      5 * time.Minute,
		Lag:           5 * time.Second,
		Overlap:       30 * time.Second,
		MaxOverlap:    5 * time.Minute,
		MaxWindow:     5 * time.Minute,
		Retention:     time.Hour,
		MaxRemembered: 500_000,
	}
}

// Validate reports everything that is wrong with the settings.
func (c *Config) Validate() error {
	var errs []error

	for _, name := range []struct{ flag, value string }{
		{"clickhouse-signals-table", c.Table},
		{"signals-service-column", c.Columns.Service},
		{"signals-metric-column", c.Columns.Metric},
		{"signals-value-column", c.Columns.Value},
		{"signals-scrape-time-column", c.Columns.ScrapeTime},
		{"signals-arrival-time-column", c.Columns.ArrivalTime},
	} {
		if name.value == "" {
			errs = append(errs, fmt.Errorf("%s: must not be empty", name.flag))
		}
	}

	// Servers with a DateTime column know whole seconds only.
	for _, length := range []struct {
		flag         string
		value, least time.Duration
	}{
		{"signals-poll-interval", c.PollInterval, 10 * time.Millisecond},
		{"signals-poll-timeout", c.PollTimeout, 100 * time.Millisecond},
		{"signals-lookback", c.Lookback, 0},
		{"signals-lag", c.Lag, time.Second},
		{"signals-overlap", c.Overlap, time.Second},
		{"signals-max-overlap", c.MaxOverlap, c.Overlap},
		{"signals-max-window", c.MaxWindow, c.Lag + 10*time.Second},
		{"signals-retention", c.Retention, max(c.Lookback, c.MaxWindow)},
	} {
		if length.value < length.least {
			errs = append(errs, fmt.Errorf("%s: must be at least %s, not %s", length.flag, length.least, length.value))
		}
	}

	if c.MaxRemembered < 1 {
		errs = append(errs, fmt.Errorf("signals-max-remembered: must be at least 1, not %d", c.MaxRemembered))
	}

	return errors.Join(errs...)
}
