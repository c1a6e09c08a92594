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
	Metrics string `default:"prometheus_metrics" env:"TIDEMARK_CLICKHOUSE_METRICS_TABLE" help:"Table of the raw samples." name:"clickhouse-metrics-table"`
	// Signals is the table of signals.
	Signals string `default:"recommendation_signals" env:"TIDEMARK_CLICKHOUSE_SIGNALS_TABLE" help:"Table of the signals." name:"clickhouse-signals-table"`
	// Allocations is the table of the services' sizes and labels.
	Allocations string `default:"service_allocations" env:"TIDEMARK_CLICKHOUSE_ALLOCATIONS_TABLE" help:"Table of the services' sizes and labels." name:"clickhouse-allocations-table"`
	// Usage is the table of the roll-up.
	Usage string `default:"usage_rollup" env:"TIDEMARK_CLICKHOUSE_USAGE_TABLE" help:"Table of the usage roll-up." name:"clickhouse-usage-table"`
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

// Validate reports names that are not plain identifiers or that are used twice. It lets an empty database pass: kong
// validates the flags before anybody can have filled it in.
func (n *Names) Validate() error {
	var errs []error

	if n.Database != "" {
		errs = append(errs, validateIdentifier("database", n.Database))
	}

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
