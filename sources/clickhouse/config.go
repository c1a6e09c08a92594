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
	Table string `default:"recommendation_signals" env:"TIDEMARK_CLICKHOUSE_SIGNALS_TABLE" help:"Table of the signals." name:"clickhouse-signals-table"`
	// Columns are the table's columns.
	Columns Columns `embed:""`
	// PollInterval is the time from the start of one poll to the start of the next.
	PollInterval time.Duration `default:"2s" env:"TIDEMARK_SIGNALS_POLL_INTERVAL" help:"How often the table is read." name:"signals-poll-interval"`
	// PollTimeout bounds one query.
	PollTimeout time.Duration `default:"10s" env:"TIDEMARK_SIGNALS_POLL_TIMEOUT" help:"How long one query may take." name:"signals-poll-timeout"`
	// Lookback is how far back the first poll after a start reads.
	Lookback time.Duration `default:"5m" env:"TIDEMARK_SIGNALS_LOOKBACK" help:"How far back the first read after a start goes." name:"signals-lookback"`
	// Lag is how long a row may take, at most as a rule, from the arrival time it bears until it can be read.
	Lag time.Duration `default:"5s" env:"TIDEMARK_SIGNALS_LAG" help:"How long after its arrival time a row may become visible." name:"signals-lag"`
	// Overlap is how much of what was read is read again, for rows that became visible later than Lag and for servers
	// whose clocks differ.
	Overlap time.Duration `default:"30s" env:"TIDEMARK_SIGNALS_OVERLAP" help:"How much of what was read is read again, for late rows." name:"signals-overlap"`
	// MaxOverlap is how far Overlap grows when a server turns out to be behind.
	MaxOverlap time.Duration `default:"5m" env:"TIDEMARK_SIGNALS_MAX_OVERLAP" help:"How far the overlap grows when a server turns out to be behind." name:"signals-max-overlap"`
	// MaxWindow is the most time that one query covers beyond the overlap; a longer gap is made up for in several.
	MaxWindow time.Duration `default:"5m" env:"TIDEMARK_SIGNALS_MAX_WINDOW" help:"The most time that one query covers." name:"signals-max-window"`
	// Retention is how long the table keeps rows: a longer gap cannot be made up for.
	Retention time.Duration `default:"1h" env:"TIDEMARK_SIGNALS_RETENTION" help:"How long the table keeps rows." name:"signals-retention"`
	// MaxRemembered bounds the signals that are remembered so as not to be sent twice. When there are more, the oldest
	// are forgotten and may be sent again.
	MaxRemembered int `default:"500000" env:"TIDEMARK_SIGNALS_MAX_REMEMBERED" help:"Most signals that are remembered so as not to be sent twice." name:"signals-max-remembered"`
}

// Columns are the names of the columns. The times may be DateTime or DateTime64 of any precision.
type Columns struct {
	// Service is the service's key.
	Service string `default:"service_name" help:"Column of the service's key." name:"signals-service-column"`
	// Metric is what was seen.
	Metric string `default:"metric_name" help:"Column of the metric's name." name:"signals-metric-column"`
	// Value is how much of it.
	Value string `default:"metric_value" help:"Column of the metric's value." name:"signals-value-column"`
	// ScrapeTime is when it was seen.
	ScrapeTime string `default:"scrape_ts" help:"Column of the time of the scrape." name:"signals-scrape-time-column"`
	// ArrivalTime is when ClickHouse got the row, by its own clock. Rows are read by it.
	ArrivalTime string `default:"arrival_ts" help:"Column of the time the row arrived." name:"signals-arrival-time-column"`
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
