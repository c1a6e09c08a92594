// Package clickhouse reads from ClickHouse what a recommender needs to know: the usage windows of a batch of services
// in one query, and the inventory of services. Package internal/clickhouseschema owns the tables.
package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// Conn is the part of a ClickHouse connection that this package needs.
type Conn interface {
	Query(ctx context.Context, query string, args ...any) (driver.Rows, error)
}

// Config says where and how usage is read.
type Config struct {
	// Names are the tables.
	Names clickhouseschema.Names `embed:""`
	// QueryTimeout bounds one query; the server gives up after it too.
	QueryTimeout time.Duration `default:"15s" env:"TIDEMARK_USAGE_QUERY_TIMEOUT" help:"How long one usage query may take." name:"usage-query-timeout"`
	// MaxRows bounds the rows of ClickHouse that one query may read, so that a query that misses the index fails and does
	// not load the cluster; 0 for no bound. A batch reads up to 300 rows for each replica of each service, more while new
	// rows are not merged yet.
	MaxRows int64 `default:"10000000" env:"TIDEMARK_USAGE_QUERY_MAX_ROWS" help:"Most rows that one usage query may read; 0 for no bound." name:"usage-query-max-rows"`
	// MaxServices bounds the services of one query; larger batches are read with several. It holds for windows of up to 30
	// hours: a query that looks further back asks for fewer services. It also keeps the text of the query within the
	// server's bound.
	MaxServices int `default:"200" env:"TIDEMARK_USAGE_QUERY_MAX_SERVICES" help:"Most services that one usage query asks for." name:"usage-query-max-services"`
}

// maxServices times the longest key, quoted, stays below the 256 KiB that ClickHouse accepts.
const maxServices = 500

// DefaultConfig returns what the flags default to.
func DefaultConfig() Config {
	return Config{
		Names:        clickhouseschema.DefaultNames(),
		QueryTimeout: 15 * time.Second,
		MaxRows:      10_000_000,
		MaxServices:  200,
	}
}

// Validate reports everything that is wrong with the settings.
func (c *Config) Validate() error {
	errs := []error{c.Names.Validate()}

	if c.QueryTimeout < time.Second {
		errs = append(errs, fmt.Errorf("usage-query-timeout: must be at least 1s, not %s", c.QueryTimeout))
	}

	if c.MaxRows < 0 {
		errs = append(errs, fmt.Errorf("usage-query-max-rows: must not be negative, not %d", c.MaxRows))
	}

	if c.MaxServices < 1 || c.MaxServices > maxServices {
		errs = append(errs, fmt.Errorf("usage-query-max-services: must be from 1 to %d, not %d", maxServices, c.MaxServices))
	}

	return errors.Join(errs...)
}

// limits is the SETTINGS clause of a query.
func (c *Config) limits() string {
	limits := fmt.Sprintf("SETTINGS max_execution_time = %d", int64(c.QueryTimeout.Seconds()))
	if c.MaxRows > 0 {
		limits += fmt.Sprintf(", max_rows_to_read = %d", c.MaxRows)
	}

	return limits
}

// usualReach is how far back the usual windows make a query look, in minutes.
const usualReach = 31 * minutesOfHour

// servicesAtOnce is how many services one query asks for when it reads so many minutes of each. An answer has about
// 2 kilobytes for each hour of each replica; those that reach far back are for fewer services, so that no answer is
// larger than a usual one.
func (c *Config) servicesAtOnce(reach int64) int {
	services := int64(max(1, c.MaxServices))

	return int(max(1, services*usualReach/max(reach, usualReach)))
}
