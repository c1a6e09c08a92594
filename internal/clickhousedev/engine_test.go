package clickhousedev_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// exec runs statements that must succeed.
func exec(t *testing.T, conn driver.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// scan runs a query that has one row of one column.
func scan[T any](t *testing.T, conn driver.Conn, sql string, args ...any) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// code returns the code of an exception of the server, or 0 if the error is none.
func code(err error) int32 {
	if x, ok := errors.AsType[*clickhouse.Exception](err); ok {
		return x.Code
	}
	return 0
}

// texts runs a query and returns its rows, each column as text.
func texts(t *testing.T, conn driver.Conn, sql string, args ...any) [][]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out [][]string
	for rows.Next() {
		row := make([]string, len(rows.Columns()))
		targets := make([]any, len(row))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		out = append(out, row)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// sendBatch sends a batch that fill appends rows to.
func sendBatch(ctx context.Context, conn driver.Conn, sql string, fill func(driver.Batch) error) (err error) {
	batch, err := conn.PrepareBatch(ctx, sql)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	if err := fill(batch); err != nil {
		return err
	}
	return batch.Send()
}

func TestParameters(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	for _, text := range []string{"plain", "it's", `back\slash`, "line\nbreak\ttab", "", "ключ", "$1 {x:String}"} {
		got := scan[string](t, conn, "SELECT {text:String} WHERE {n:UInt64} = 18446744073709551615",
			clickhouse.Named("text", text), clickhouse.Named("n", "18446744073709551615"))
		if got != text {
			t.Errorf("parameter %q came back as %q", text, got)
		}
	}
	err := conn.Exec(t.Context(), "SELECT {n:UInt8}", clickhouse.Named("n", "x"))
	const badQueryParameter = 457
	if code(err) != badQueryParameter {
		t.Errorf("a parameter of a wrong type: %v", err)
	}
}

func TestExternalTable(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	table, err := ext.NewTable("chosen", ext.Column("a", "UInt64"), ext.Column("s", "String"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(10) {
		if err := table.Append(i, "s"); err != nil {
			t.Fatal(err)
		}
	}
	ctx := clickhouse.Context(t.Context(), clickhouse.WithExternalTable(table))
	var sum uint64
	for range 2 {
		if err := conn.QueryRow(ctx, "SELECT sum(a) FROM chosen").Scan(&sum); err != nil || sum != 45 {
			t.Fatalf("sum %d, %v", sum, err)
		}
	}
	if err := conn.Exec(t.Context(), "SELECT a FROM chosen"); err == nil {
		t.Fatal("the external table is there after its query")
	}
}

func TestColumnsWithoutRows(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	for sql, want := range map[string][]string{
		"SHOW TABLES": {"name"},
		"SELECT 1 AS a, 'x' AS b WHERE 0 FORMAT JSON":           {"a", "b"},
		"WITH 1 AS x SELECT x AS y, x WHERE 0":                  {"y", "x"},
		"(SELECT 1 AS a WHERE 0) UNION ALL SELECT 2 WHERE 0":    {"a"},
		"SELECT toDateTime(0, 'Asia/Tokyo') AS at WHERE 0 -- c": {"at"},
	} {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if !reflect.DeepEqual(rows.Columns(), want) || rows.Next() {
			t.Errorf("%s: columns %q", sql, rows.Columns())
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestStatements(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	const (
		syntaxError    = 62
		notImplemented = 48
		emptyQuery     = 211
		unknownType    = 50
	)
	for sql, want := range map[string]int32{
		"SELECT 1;":                          0,
		"SELECT 1; SELECT 2":                 syntaxError,
		"-- nothing":                         emptyQuery,
		"SYSTEM SHUTDOWN":                    notImplemented,
		"CREATE NAMED COLLECTION c AS a = 1": notImplemented,
		"SELECT '{}'::JSON":                  unknownType,
		"KILL QUERY WHERE query_id = 'none'": 0,
		"EXPLAIN SELECT 1":                   0,
		"SYSTEM FLUSH LOGS":                  0,
	} {
		if err := conn.Exec(t.Context(), sql); code(err) != want || (want == 0 && err != nil) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestAbortedBatch(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	exec(t, conn, "CREATE TABLE t (a UInt64) ENGINE = Memory")
	batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO t") //nolint:clickhouselint // Abort closes it.
	if err != nil {
		t.Fatal(err)
	}
	if err := batch.Append(uint64(1)); err != nil {
		t.Fatal(err)
	}
	if err := batch.Flush(); err != nil {
		t.Fatal(err)
	}
	// This hangs up on the server.
	if err := batch.Abort(); err != nil {
		t.Fatal(err)
	}
	if n := scan[uint64](t, conn, "SELECT count() FROM t"); n != 0 {
		t.Fatalf("%d rows of a batch that was given up", n)
	}
}
