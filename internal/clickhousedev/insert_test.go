package clickhousedev_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func TestInsertDefaults(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	exec(t, conn, `CREATE TABLE t (a UInt64, b String DEFAULT concat('b', toString(a)), c UInt64 MATERIALIZED a + 1,
		d UInt64 ALIAS a + 2, n Nested(k String, v UInt8)) ENGINE = MergeTree ORDER BY a`)
	for _, sql := range []string{
		"INSERT INTO t (a) VALUES (1)",
		"INSERT INTO t (a, b) VALUES (2, DEFAULT), (1 + 2, 'three')",
		"INSERT INTO t (* EXCEPT (b, `n.k`, `n.v`)) VALUES (4)",
		"INSERT INTO t (a) FORMAT JSONEachRow {\"a\": 5} {\"a\": 6}",
		"INSERT INTO t (a, b) FORMAT CSV\n7,seven\n",
		"INSERT INTO t (a, n.k, `n.v`) VALUES (8, ['x', 'y'], [1, 2])",
		"INSERT INTO t (a) SETTINGS async_insert = 1, wait_for_async_insert = 0 VALUES (9)",
		"INSERT INTO t (a) SELECT 10",
		"WITH 11 AS eleven INSERT INTO t (a) SELECT eleven",
		"INSERT INTO t VALUES (12, 'twelve', ['z'], [3])",
	} {
		exec(t, conn, sql)
	}
	if err := conn.Exec(clickhouse.Context(t.Context(), clickhouse.WithAsync(false)), "INSERT INTO t (a) VALUES (13)"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "INSERT INTO t (a, b) VALUES ({n:UInt64}, {s:String})",
		clickhouse.Named("n", "14"), clickhouse.Named("s", "it's")); err != nil {
		t.Fatal(err)
	}
	got := scan[[]string](t, conn,
		"SELECT groupArray(s) FROM (SELECT concat(toString(a), ' ', b, ' ', toString(c - a), ' ', toString(n.k)) AS s FROM t ORDER BY a)")
	want := []string{
		"1 b1 1 []", "2 b2 1 []", "3 three 1 []", "4 b4 1 []", "5 b5 1 []", "6 b6 1 []", "7 seven 1 []", "8 b8 1 ['x','y']",
		"9 b9 1 []", "10 b10 1 []", "11 b11 1 []", "12 twelve 1 ['z']", "13 b13 1 []", "14 it's 1 []",
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

func TestInsertErrors(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	exec(t, conn, "CREATE TABLE t (a UInt8, m UInt8 MATERIALIZED a) ENGINE = Memory")
	for sql, want := range map[string]int32{
		"INSERT INTO nosuch VALUES (1)":     60,
		"INSERT INTO t (nosuch) VALUES (1)": 16,
		"INSERT INTO t (m) VALUES (1)":      44,
		"INSERT INTO t VALUES ('x')":        6,
		"INSERT INTO t FORMAT Nosuch\n1":    73,
		"INSERT INTO t":                     62,
		"INSERT INTO nosuch.t VALUES (1)":   81,
	} {
		if err := conn.Exec(t.Context(), sql); code(err) != want {
			t.Errorf("%s: want code %d, got %v", sql, want, err)
		}
	}
	if n := scan[uint64](t, conn, "SELECT count() FROM t"); n != 0 {
		t.Errorf("%d rows of statements that failed", n)
	}
}

// TestInsertMany sends more rows than are written at once.
func TestInsertMany(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	exec(t, conn, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a",
		"CREATE TABLE sums (s UInt64) ENGINE = MergeTree ORDER BY s",
		"CREATE MATERIALIZED VIEW view TO sums AS SELECT sum(a) AS s FROM t")
	const n, block = 2_500_000, 250_000
	err := sendBatch(t.Context(), conn, "INSERT INTO t", func(batch driver.Batch) error {
		column := make([]uint64, block)
		for first := uint64(0); first < n; first += block {
			for i := range column {
				column[i] = first + uint64(i)
			}
			if err := errors.Join(batch.Column(0).Append(column), batch.Flush()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(uint64(n)*(n-1)/2, " ", n)
	got := texts(t, conn, "SELECT concat(toString((SELECT sum(s) FROM sums)), ' ', toString(count())) FROM t")
	if got[0][0] != want {
		t.Fatalf("got %s, want %s", got[0][0], want)
	}
}
