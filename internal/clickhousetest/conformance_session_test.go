package clickhousetest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func testHandshake(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, err := conn.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if v.Name != "ClickHouse" || v.Version.Major == 0 || v.Timezone == nil {
		t.Fatalf("server calls itself %v", v)
	}
	if zone := scan[string](t, conn, "SELECT timezone()"); zone != v.Timezone.String() {
		t.Fatalf("time zone %q in the handshake and %q in SQL", v.Timezone, zone)
	}
}

func testCredentials(t *testing.T, p peer, options *clickhouse.Options) {
	t.Helper()
	wrong := *options
	wrong.Auth.Password = "wrong"
	wantCode(t, connect(t, &wrong).Ping(t.Context()), p.wrongPassword)
	wrong = *options
	wrong.Auth.Username = "nobody"
	wantCode(t, connect(t, &wrong).Ping(t.Context()), p.wrongUser)
}

func testDatabase(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	exec(t, conn, "CREATE DATABASE IF NOT EXISTS conformance")
	defer exec(t, conn, "DROP DATABASE conformance")
	other := *options
	other.Auth.Database = "conformance"
	if name := scan[string](t, connect(t, &other), "SELECT currentDatabase()"); name != "conformance" {
		t.Fatalf("current database %q", name)
	}
	other.Auth.Database = "nosuch"
	const unknownDatabase = 81
	wantCode(t, connect(t, &other).Ping(t.Context()), unknownDatabase)
}

func testExceptions(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	options.MaxOpenConns = 1
	conn := connect(t, options)
	const (
		unknownTable = 60
		syntaxError  = 62
		thrown       = 395
	)
	wantCode(t, conn.Exec(t.Context(), "SELECT a FROM nosuch"), unknownTable)
	wantCode(t, conn.Exec(t.Context(), "SELEC 1"), syntaxError)
	wantCode(t, conn.Exec(t.Context(), "SELECT throwIf(number = 3) FROM system.numbers LIMIT 10"), thrown)
	if one := scan[uint8](t, conn, "SELECT 1"); one != 1 {
		t.Fatalf("after exceptions, SELECT 1 is %d", one)
	}
	rows, err := conn.Query(t.Context(), "SELECT number, throwIf(number = 300000) FROM system.numbers LIMIT 400000")
	if err == nil {
		for rows.Next() {
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	wantCode(t, err, thrown)
}

func testSettings(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	// The pool of clickhouse-go may replace a connection at any time, and with it the session. This one does not.
	db := clickhouse.OpenDB(options)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	read := func(ctx context.Context) (value string) {
		row := conn.QueryRowContext(ctx, "SELECT value FROM system.settings WHERE name = 'max_rows_to_read'")
		if err := row.Scan(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	own := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"max_rows_to_read": 12345}))
	before, during, after := read(t.Context()), read(own), read(t.Context())
	if during != "12345" || after != before {
		t.Fatalf("setting %q before, %q during and %q after the query that has it", before, during, after)
	}
	if _, err := conn.ExecContext(t.Context(), "SET max_rows_to_read = 77777"); err != nil {
		t.Fatal(err)
	}
	before, during, after = read(t.Context()), read(own), read(t.Context())
	if before != "77777" || during != "12345" || after != "77777" {
		t.Fatalf("setting of the session %q before, %q during and %q after a query that has its own", before, during, after)
	}
}

// wantCode checks that an error is an exception of the server with a code and a message.
func wantCode(t *testing.T, err error, code int32) {
	t.Helper()
	var x *clickhouse.Exception
	if !errors.As(err, &x) {
		t.Fatalf("want exception %d, got %v", code, err)
	}
	if x.Code != code || x.Name != "DB::Exception" || x.Message == "" {
		t.Fatalf("want exception %d, got %d: %s: %s", code, x.Code, x.Name, x.Message)
	}
	if errors.Is(err, context.Canceled) {
		t.Fatal("the exception comes with a cancellation")
	}
}
