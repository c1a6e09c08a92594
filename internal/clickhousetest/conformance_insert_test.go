package clickhousetest_test

import (
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func testBatches(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	exec(t, conn, "DROP TABLE IF EXISTS b", `CREATE TABLE b (a UInt32, s String, d UInt8 DEFAULT 7, m UInt32 MATERIALIZED a * 2)
		ENGINE = MergeTree ORDER BY a`)
	const rows, flushEvery = 10_000, 3_000
	err := sendBatch(t.Context(), conn, "INSERT INTO b (s, a)", func(batch driver.Batch) error {
		for i := range rows {
			if err := batch.Append(strings.Repeat("x", i%50), uint32(i)); err != nil {
				return err
			}
			if i%flushEvery != 0 {
				continue
			}
			if err := batch.Flush(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := sendBatch(t.Context(), conn, "INSERT INTO b (a)", func(driver.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := scan[uint64](t, conn, "SELECT count() FROM b WHERE d = 7 AND m = a * 2 AND length(s) = a % 50"); n != rows {
		t.Fatalf("%d rows as they should be, of %d", n, rows)
	}
	exec(t, conn, "INSERT INTO b (a) SELECT number FROM system.numbers LIMIT 5")
	if n := scan[uint64](t, conn, "SELECT count() FROM b"); n != rows+5 {
		t.Fatalf("%d rows after INSERT SELECT", n)
	}
}

func testFailedBatches(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	options.MaxOpenConns = 1
	conn := connect(t, options)
	exec(t, conn, "DROP TABLE IF EXISTS f", "CREATE TABLE f (a UInt32) ENGINE = Memory")
	const (
		noSuchColumn = 16
		unknownTable = 60
	)
	for sql, code := range map[string]int32{"INSERT INTO nosuch": unknownTable, "INSERT INTO f (nosuch)": noSuchColumn} {
		_, err := conn.PrepareBatch(t.Context(), sql) //nolint:clickhouselint // There is none to close.
		wantCode(t, err, code)
	}
	batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO f (a)") //nolint:clickhouselint // Abort closes it.
	if err != nil {
		t.Fatal(err)
	}
	if err := batch.Append(uint32(1)); err != nil {
		t.Fatal(err)
	}
	if err := batch.Abort(); err != nil {
		t.Fatal(err)
	}
	if n := scan[uint64](t, conn, "SELECT count() FROM f"); n != 0 {
		t.Fatalf("%d rows of a batch that was not sent", n)
	}
}

func testMaterializedView(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	exec(t, conn, "DROP TABLE IF EXISTS seen", "DROP TABLE IF EXISTS raw", "DROP TABLE IF EXISTS watcher",
		"CREATE TABLE raw (name String, value UInt64) ENGINE = MergeTree ORDER BY name",
		"CREATE TABLE seen (name String, value UInt64) ENGINE = MergeTree ORDER BY name",
		"CREATE MATERIALIZED VIEW watcher TO seen AS SELECT name, value FROM raw WHERE value > 1")
	err := sendBatch(t.Context(), conn, "INSERT INTO raw (name, value)", func(batch driver.Batch) error {
		for i := range uint64(5) {
			if err := batch.Append("n", i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := scan[uint64](t, conn, "SELECT count() FROM seen"); n != 3 {
		t.Fatalf("the view has passed on %d rows of 3", n)
	}
}
