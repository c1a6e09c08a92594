package clickhouseschema

import (
	"errors"
	"fmt"
	"regexp"
)

// Names are the names of the database and its tables. A view is named like the table it fills, with "_view" behind.
type Names struct {
	// Database holds all the tables. It has no flag here because the connection's settings have it.
	Database string `kong:"-"`
	// Metrics is the table of raw samples.
	Metrics string `name:"clickhouse-metrics-table" env:"TIDEMARK_CLICKHOUSE_METRICS_TABLE" default:"prometheus_metrics" help:"Table of the raw samples."`
	// Signals is the table of signals.
	Signals string `name:"clickhouse-signals-table" env:"TIDEMARK_CLICKHOUSE_SIGNALS_TABLE" default:"recommendation_signals" help:"Table of the signals."`
	// Allocations is the table of the services' sizes and labels.
	Allocations string `name:"clickhouse-allocations-table" env:"TIDEMARK_CLICKHOUSE_ALLOCATIONS_TABLE" default:"service_allocations" help:"Table of the services' sizes and labels."`
	// Usage is the table of the roll-up.
	Usage string `name:"clickhouse-usage-table" env:"TIDEMARK_CLICKHOUSE_USAGE_TABLE" default:"usage_rollup" help:"Table of the usage roll-up."`
}

// DefaultNames returns what the flags default to, in the database "tidemark".
func DefaultNames() Names {
	return Names{
		Database:    "tidemark",
		Metrics:     "prometheus_metrics",
		Signals:     "recommendation_signals",
		Allocations: "service_allocations",
		Usage:       "usage_rollup",
	}
}

// Validate reports names that are not plain identifiers or that are used twice.
func (n *Names) Validate() error {
	errs := []error{validateIdentifier("database", n.Database)}
	seen := map[string]string{}

	for _, table := range []struct{ what, name string }{
		{"metrics table", n.Metrics},
		{"signals table", n.Signals},
		{"allocations table", n.Allocations},
		{"usage table", n.Usage},
		{"view of the signals table", viewName(n.Signals)},
		{"view of the usage table", viewName(n.Usage)},
	} {
		errs = append(errs, validateIdentifier(table.what, table.name))

		if other, taken := seen[table.name]; taken {
			errs = append(errs, fmt.Errorf("%s and %s: both are called %q", other, table.what, table.name))
		}

		seen[table.name] = table.what
	}

	return errors.Join(errs...)
}

// Qualified returns "`database`.`table`" for a query, or only the table where the database is the session's.
func (n *Names) Qualified(table string) string {
	if n.Database == "" {
		return Quote(table)
	}

	return Quote(n.Database) + "." + Quote(table)
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// validateIdentifier keeps names to what needs no quoting anywhere, in no tool.
func validateIdentifier(what, name string) error {
	if !identifier.MatchString(name) {
		return fmt.Errorf("%s: %q is not an identifier (letters, digits and _, at most 128, no digit first)", what, name)
	}

	return nil
}

func viewName(table string) string {
	return table + "_view"
}
