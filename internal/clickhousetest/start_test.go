package clickhousetest_test

import (
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func TestMain(m *testing.M) { clickhousetest.Main(m) }

func TestStart(t *testing.T) {
	first, second := clickhousetest.Start(t), clickhousetest.Start(t)
	if first.Addr != second.Addr || first.Database == second.Database {
		t.Fatalf("want one server and two databases, got %+v and %+v", first, second)
	}
	conn := first.Open(t)
	var name string
	if err := conn.QueryRow(t.Context(), "SELECT currentDatabase()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if name != first.Database {
		t.Fatalf("current database %q, want %q", name, first.Database)
	}
}

func TestGoleakOptions(t *testing.T) {
	server := clickhousetest.Start(t)
	conn, err := clickhouse.Open(server.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, clickhousetest.GoleakOptions()...)
}
