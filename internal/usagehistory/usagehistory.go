// Package usagehistory reads the usage of real services from the roll-up in ClickHouse, minute by minute, so that it can
// be replayed.
//
// A replica is taken for the service: of each minute it holds what the replica used that used most, since all replicas
// have the same size. So what a replay adds up is per replica.
package usagehistory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// Conn is the part of a ClickHouse connection that this package needs.
type Conn interface {
	Query(ctx context.Context, query string, args ...any) (driver.Rows, error)
}

// Request says what to read.
type Request struct {
	// Names are the tables.
	Names clickhouseschema.Names
	// Services are the keys of the services; All for every service there is.
	Services []string
	// From and To are the first and the last minute.
	From, To time.Time
}

// All stands for every service.
const All = "*"

// Validate reports what is wrong.
func (r *Request) Validate() error {
	switch {
	case len(r.Services) == 0:
		return errors.New("no service is named: name keys such as prod/orders-db, or * for all")
	case !r.From.Before(r.To):
		return fmt.Errorf("the usage to read begins at %s, which is not before its end, %s",
			r.From.Format(time.RFC3339), r.To.Format(time.RFC3339))
	default:
		return nil
	}
}

// Source reads the usage of each service that has any, in the order of their keys. Each loop reads it anew.
func Source(ctx context.Context, conn Conn, request Request) backtest.Source {
	return func(yield func(*backtest.Series, error) bool) {
		if err := request.Validate(); err != nil {
			yield(nil, err)

			return
		}

		known, err := readAllocations(ctx, conn, request)
		if err != nil {
			yield(nil, fmt.Errorf("read allocations: %w", err))

			return
		}

		reading := reading{request: request, known: known, yield: yield}
		if err := reading.run(ctx, conn); err != nil && !reading.stopped {
			yield(nil, fmt.Errorf("read usage: %w", err))
		}
	}
}

// in is the condition that a row belongs to the services.
func (r *Request) in() string {
	quoted := make([]string, 0, len(r.Services))

	for _, service := range r.Services {
		if service == All {
			return "1"
		}

		quoted = append(quoted, clickhouseschema.QuoteString(service))
	}

	return "service IN (" + strings.Join(quoted, ", ") + ")"
}

// usageQuery reads the hours in the order of services and time.
func (r *Request) usageQuery() string {
	return fmt.Sprintf(`SELECT service, toInt64(toUnixTimestamp(hour)), cpu_nanos.1, cpu_nanos.2, cpu_nanos.3, resident_bytes.1, resident_bytes.2
FROM %s FINAL
WHERE %s AND hour >= toDateTime(%d, 'UTC') AND hour <= toDateTime(%d, 'UTC')
ORDER BY service, hour
SETTINGS do_not_merge_across_partitions_select_final = 1`,
		r.Names.Qualified(r.Names.Usage), r.in(), r.From.Truncate(time.Hour).Unix(), r.To.Unix())
}

// eachRow runs a query.
func eachRow(ctx context.Context, conn Conn, query string, visit func(scan func(...any) error) error) (err error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return fmt.Errorf("query ClickHouse: %w", err)
	}

	defer func() { err = errors.Join(err, rows.Close()) }()

	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
	}

	if err := rows.Err(); err != nil {
		return fmt.Errorf("read rows from ClickHouse: %w", err)
	}

	return nil
}
