package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// Conn is the part of a ClickHouse connection that this package needs.
type Conn interface {
	Query(ctx context.Context, query string, args ...any) (driver.Rows, error)
}

// store is the table of signals. All times are by the server's clock.
type store interface {
	// clock returns the server's time, to the second.
	clock(ctx context.Context) (time.Time, error)
	// read calls visit for each row that arrived between the bounds and returns the server's time when it read them, to the
	// second. The bounds are whole seconds and both count.
	read(ctx context.Context, from, to time.Time, visit func(row)) (time.Time, error)
}

// row is one row of the table.
type row struct {
	signal

	arrival time.Time
}

// signal is what makes two rows tell of the same thing: neither the arrival of a repeated insert nor anything else is
// part of it. It is a key of maps, hence the milliseconds.
type signal struct {
	service, metric string
	valueBits       uint64 // of a float64: NaN, as a float, would equal nothing
	scrapeMillis    int64  // since the epoch
}

func newSignal(service, metric string, value float64, scrape time.Time) signal {
	return signal{service: service, metric: metric, valueBits: math.Float64bits(value), scrapeMillis: scrape.UnixMilli()}
}

func (s *signal) value() float64 { return math.Float64frombits(s.valueBits) }

// table is the store in ClickHouse. Its queries keep to what version 18 knows: no DateTime64, no parameters. Times go
// there and back as whole numbers since the epoch, so that no time zone has a say.
type table struct {
	config Config
	conn   Conn
}

const clockExpression = "toInt64(toUnixTimestamp(now()))"

func (t *table) clock(ctx context.Context) (time.Time, error) {
	var seconds int64

	err := t.eachRow(ctx, "SELECT "+clockExpression, func(rows driver.Rows) error {
		if err := rows.Scan(&seconds); err != nil {
			return fmt.Errorf("scan: %w", err)
		}

		return nil
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("read the clock of ClickHouse: %w", err)
	}

	return serverTime(seconds)
}

func (t *table) read(ctx context.Context, from, to time.Time, visit func(row)) (time.Time, error) {
	var now int64

	err := t.eachRow(ctx, t.query(from, to), func(rows driver.Rows) error {
		var (
			service, metric                      string
			value                                float64
			scrapeMillis, arrivalMillis, seconds int64
		)

		if err := rows.Scan(&service, &metric, &value, &scrapeMillis, &arrivalMillis, &seconds); err != nil {
			return fmt.Errorf("scan: %w", err)
		}

		// One row has the clock and nothing else.
		if seconds > 0 {
			now = seconds

			return nil
		}

		visit(row{
			signal:  newSignal(service, metric, value, time.UnixMilli(scrapeMillis)),
			arrival: time.UnixMilli(arrivalMillis).UTC(),
		})

		return nil
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("read signals from %s.%s: %w", t.config.Database, t.config.Table, err)
	}

	return serverTime(now)
}

// query has closed bounds only: for open ones, "column < toDateTime(n)" on a DateTime64, ClickHouse (26.5 for one) takes
// n-1 as the greatest value when it looks into the index, and passes over rows in the second before n.
func (t *table) query(from, to time.Time) string {
	millis := func(column string) string {
		return "toInt64(round(toFloat64(" + clickhouseschema.Quote(column) + ") * 1000))"
	}

	names := clickhouseschema.Names{Database: t.config.Database}
	arrival := clickhouseschema.Quote(t.config.Columns.ArrivalTime)

	return fmt.Sprintf(`SELECT '' AS service, '' AS metric, toFloat64(0) AS value, toInt64(0) AS scrape, toInt64(0) AS arrival, %s AS clock
UNION ALL
SELECT toString(%s) AS service, toString(%s) AS metric, toFloat64(%s) AS value, %s AS scrape, %s AS arrival, toInt64(0) AS clock
FROM %s
WHERE %s >= toDateTime(%d) AND %s <= toDateTime(%d)`,
		clockExpression,
		clickhouseschema.Quote(t.config.Columns.Service), clickhouseschema.Quote(t.config.Columns.Metric),
		clickhouseschema.Quote(t.config.Columns.Value),
		millis(t.config.Columns.ScrapeTime), millis(t.config.Columns.ArrivalTime),
		names.Qualified(t.config.Table), arrival, from.Unix(), arrival, to.Unix())
}

func (t *table) eachRow(ctx context.Context, query string, visit func(driver.Rows) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, t.config.PollTimeout)
	defer cancel()

	rows, err := t.conn.Query(ctx, query)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}

	defer func() { err = errors.Join(err, rows.Close()) }()

	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}

	// Rows that are missing because the time was up must not be taken for rows that do not exist.
	if err := errors.Join(rows.Err(), ctx.Err()); err != nil {
		return fmt.Errorf("receive: %w", err)
	}

	return nil
}

func serverTime(seconds int64) (time.Time, error) {
	if seconds <= 0 {
		return time.Time{}, errors.New("ClickHouse did not tell its time")
	}

	return time.Unix(seconds, 0).UTC(), nil
}
