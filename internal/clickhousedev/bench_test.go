package clickhousedev_test

import (
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// benchRows is the number of rows of a batch, as seeding sends them.
const benchRows = 100_000

// BenchmarkBatch measures the rows per second of batches of 100,000 rows of 5 columns.
func BenchmarkBatch(b *testing.B) {
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4} {
		b.Run(method.String(), func(b *testing.B) {
			o := clickhousetest.Start(b).Options()
			o.Compression = &clickhouse.Compression{Method: method}
			conn := connect(b, o)
			err := conn.Exec(b.Context(), `CREATE TABLE samples (service LowCardinality(String), metric LowCardinality(String),
				at DateTime64(3), value Float64, replica UInt16) ENGINE = MergeTree ORDER BY (service, metric, at)`)
			if err != nil {
				b.Fatal(err)
			}
			services := make([]string, 1000)
			for i := range services {
				services[i] = "prod/service-" + string(rune('a'+i%26)) + time.Duration(i).String()
			}
			metrics := []string{"cpu", "memory", "throttled"}
			begin := time.Unix(1_700_000_000, 0)
			for b.Loop() {
				err := sendBatch(b.Context(), conn, "INSERT INTO samples", func(batch driver.Batch) error {
					for i := range benchRows {
						err := batch.Append(services[i%len(services)], metrics[i%len(metrics)],
							begin.Add(time.Duration(i)*time.Second), float64(i), uint16(i%7))
						if err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkSelectOne measures the latency of the smallest query.
func BenchmarkSelectOne(b *testing.B) {
	conn := clickhousetest.Start(b).Open(b)
	for b.Loop() {
		var one uint8
		if err := conn.QueryRow(b.Context(), "SELECT 1").Scan(&one); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInsertOne measures the latency of an INSERT of one row.
func BenchmarkInsertOne(b *testing.B) {
	conn := clickhousetest.Start(b).Open(b)
	if err := conn.Exec(b.Context(), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := conn.Exec(b.Context(), "INSERT INTO t VALUES (1)"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSelectRows measures the rows per second of a large result.
func BenchmarkSelectRows(b *testing.B) {
	conn := clickhousetest.Start(b).Open(b)
	const n = 1_000_000
	for b.Loop() {
		rows, err := conn.Query(b.Context(), "SELECT number, toString(number) FROM numbers(1000000)")
		if err != nil {
			b.Fatal(err)
		}
		got := 0
		for rows.Next() {
			got++
		}
		if err := rows.Err(); err != nil || got != n {
			b.Fatal(got, err)
		}
		if err := rows.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
