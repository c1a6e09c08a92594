package clickhouse

import (
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// engine is a real ClickHouse with Tidemark's tables.
type engine struct {
	tb     testing.TB
	server clickhousetest.Address
	conn   driver.Conn
	config Config
}

func startEngine(tb testing.TB) *engine {
	tb.Helper()

	server := clickhousetest.Start(tb)
	config := DefaultConfig()
	config.Names.Database = server.Database

	schema := clickhouseschema.DefaultConfig()
	schema.Names = config.Names

	conn := server.Open(tb)
	if err := clickhouseschema.Apply(tb.Context(), conn, schema); err != nil {
		tb.Fatal(err)
	}

	return &engine{tb: tb, server: server, conn: conn, config: config}
}

// readerAt returns a reader that takes now as the server's clock. The zero time means the real clock.
func (e *engine) readerAt(now time.Time) *Reader {
	reader := NewReader(e.config, e.conn)
	if !now.IsZero() {
		reader.clock = fmt.Sprintf("toInt64(%d)", now.UnixMilli())
	}

	return reader
}

// sample is one row of the raw table.
type sample struct {
	service, replica, metric string
	time                     time.Time
	value                    float64
}

// insert writes samples with one INSERT, as one part.
func (e *engine) insert(samples ...sample) {
	e.tb.Helper()

	batch, err := e.conn.PrepareBatch(e.tb.Context(), "INSERT INTO "+e.config.Names.Qualified(e.config.Names.Metrics)+
		" (service, replica, metric_name, ts, value)")
	if err != nil {
		e.tb.Fatal(err)
	}

	defer batch.Close() //nolint:errcheck // Send has been seen to

	for _, s := range samples {
		if err := batch.Append(s.service, s.replica, s.metric, s.time, s.value); err != nil {
			e.tb.Fatal(err)
		}
	}

	if err := batch.Send(); err != nil {
		e.tb.Fatal(err)
	}
}

func (e *engine) execf(format string, args ...any) {
	e.tb.Helper()

	if err := e.conn.Exec(e.tb.Context(), fmt.Sprintf(format, args...)); err != nil {
		e.tb.Fatal(err)
	}
}

// merge makes the engine put together all rows of one key.
func (e *engine) merge() {
	e.tb.Helper()
	e.execf("OPTIMIZE TABLE %s FINAL", e.config.Names.Qualified(e.config.Names.Usage))
}
