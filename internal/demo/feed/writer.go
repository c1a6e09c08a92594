package feed

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// Conn is the part of a ClickHouse connection that this package needs.
type Conn interface {
	PrepareBatch(ctx context.Context, query string, opts ...driver.PrepareBatchOption) (driver.Batch, error)
}

// Writer writes rows into Tidemark's tables.
type Writer struct {
	conn  Conn
	names clickhouseschema.Names
}

// NewWriter returns a writer to the tables.
func NewWriter(conn Conn, names clickhouseschema.Names) *Writer {
	return &Writer{conn: conn, names: names}
}

// samples writes the rows in one insert.
func (w *Writer) samples(ctx context.Context, r *rows) error {
	if r.len() == 0 {
		return nil
	}

	err := w.insert(ctx, w.names.Metrics, "service, replica, metric_name, ts, value",
		r.services, r.replicas, r.metrics, r.times, r.values)
	if err != nil {
		return fmt.Errorf("insert samples: %w", err)
	}

	return nil
}

// insert writes whole columns.
func (w *Writer) insert(ctx context.Context, table, columns string, values ...any) error {
	batch, err := w.conn.PrepareBatch(ctx, fmt.Sprintf("INSERT INTO %s (%s)", w.names.Qualified(table), columns))
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer batch.Close() //nolint:errcheck // nothing is left to be done after Send

	for i, column := range values {
		if err := batch.Column(i).Append(column); err != nil {
			return fmt.Errorf("column %d of (%s): %w", i, columns, err)
		}
	}

	if err := batch.Send(); err != nil {
		return fmt.Errorf("send: %w", err)
	}

	return nil
}
