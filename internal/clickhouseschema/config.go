// Package clickhouseschema owns Tidemark's tables in ClickHouse: their names, their columns, the views that fill them,
// and the statements that make and check them.
package clickhouseschema

import (
	"errors"
	"fmt"
	"time"
)

// Config says how the tables are made.
type Config struct {
	// Names are the names of the tables.
	Names Names `embed:""`
	// Retention is how long rows are kept.
	Retention Retention `embed:""`
	// Thresholds decide which samples become signals.
	Thresholds Thresholds `embed:""`
	// Cluster makes replicated tables on all hosts of a ClickHouse cluster; empty makes plain tables on one server.
	Cluster string `env:"TIDEMARK_CLICKHOUSE_CLUSTER" help:"Make replicated tables ON CLUSTER of this name." name:"cluster"`
}

// Retention is how long rows are kept, to the second. 0 keeps them for ever.
type Retention struct {
	// Metrics is for the raw samples.
	Metrics time.Duration `default:"72h" help:"How long raw samples are kept." name:"keep-metrics"`
	// Usage is for the roll-up; it must outlast the longest window that is read, which may be 14 days.
	Usage time.Duration `default:"360h" help:"How long the usage roll-up is kept." name:"keep-usage"`
	// Signals is for the signals.
	Signals time.Duration `default:"1h" help:"How long signals are kept." name:"keep-signals"`
	// Allocations is for the inventory: a service that is not written again for so long drops out of it.
	Allocations time.Duration `default:"0s" help:"How long a service stays in the inventory after it was last written; 0s for ever." name:"keep-allocations"`
}

// Thresholds are the values from which on a sample is a signal; all are more than 0.
type Thresholds struct {
	// Rejections is for MetricRejections: requests per scrape.
	Rejections float64 `default:"1" help:"Refused requests in one scrape that make a signal." name:"signal-rejections"`
	// OOMKillBytes is for MetricOOMKill: resident bytes at the kill.
	OOMKillBytes float64 `default:"1" help:"Resident bytes at an OOM kill that make a signal." name:"signal-oom-kill-bytes"`
	// ThrottledSeconds is for MetricThrottled: seconds per scrape.
	ThrottledSeconds float64 `default:"1" help:"Seconds of CPU throttling in one scrape that make a signal." name:"signal-throttled-seconds"`
}

// DefaultConfig returns what the flags default to.
func DefaultConfig() Config {
	return Config{
		Names:      DefaultNames(),
		Retention:  Retention{Metrics: 72 * time.Hour, Usage: 15 * 24 * time.Hour, Signals: time.Hour},
		Thresholds: Thresholds{Rejections: 1, OOMKillBytes: 1, ThrottledSeconds: 1},
	}
}

// Validate reports everything that is wrong with the settings.
func (c *Config) Validate() error {
	errs := []error{c.Names.Validate(), c.Retention.Validate(), c.Thresholds.Validate()}

	if c.Cluster != "" {
		errs = append(errs, validateIdentifier("cluster", c.Cluster))
	}

	return errors.Join(errs...)
}

// complete reports what keeps the tables from being made or checked.
func (c *Config) complete() error {
	err := c.Validate()
	if c.Names.Database == "" {
		err = errors.Join(errors.New("no database is named"), err)
	}

	if err != nil {
		return fmt.Errorf("ClickHouse schema: %w", err)
	}

	return nil
}

// Validate reports what is wrong with the retention.
func (r *Retention) Validate() error {
	var errs []error

	for _, keep := range []struct {
		name  string
		value time.Duration
	}{
		{"keep-metrics", r.Metrics},
		{"keep-usage", r.Usage},
		{"keep-signals", r.Signals},
		{"keep-allocations", r.Allocations},
	} {
		if keep.value < 0 || keep.value%time.Second != 0 {
			errs = append(errs, fmt.Errorf("%s: must be whole seconds and not negative, not %s", keep.name, keep.value))
		}
	}

	return errors.Join(errs...)
}

// Validate reports what is wrong with the thresholds.
func (t *Thresholds) Validate() error {
	var errs []error

	for _, threshold := range []struct {
		name  string
		value float64
	}{
		{"signal-rejections", t.Rejections},
		{"signal-oom-kill-bytes", t.OOMKillBytes},
		{"signal-throttled-seconds", t.ThrottledSeconds},
	} {
		// Written so that NaN fails too.
		if !(threshold.value > 0 && threshold.value < MaxBytes) {
			errs = append(errs, fmt.Errorf("%s: must be more than 0 and finite, not %v", threshold.name, threshold.value))
		}
	}

	return errors.Join(errs...)
}
