package clickhousedev_test

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhousedev"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// serve starts a server of the test's own, and returns its address and what stops it.
func serve(t *testing.T, cfg clickhousedev.Config) (*clickhousedev.Server, string, func()) {
	t.Helper()
	cfg.LibPath = clickhousetest.Engine(t)
	cfg.Logger = slog.New(slog.DiscardHandler)
	server, err := clickhousedev.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background(), ln) }()
	stop := sync.OnceFunc(func() {
		for _, err := range []error{server.Close(), <-served} {
			if err != nil && !errors.Is(err, clickhousedev.ErrServerClosed) {
				t.Error(err)
			}
		}
	})
	t.Cleanup(stop)
	return server, ln.Addr().String(), stop
}

// connect opens a connection that is closed with the test.
func connect(tb testing.TB, options *clickhouse.Options) driver.Conn {
	tb.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := conn.Close(); err != nil {
			tb.Error(err)
		}
	})
	return conn
}

func TestPassword(t *testing.T) {
	_, addr, _ := serve(t, clickhousedev.Config{User: "tide", Password: "p'w"})
	options := &clickhouse.Options{Addr: []string{addr}, Auth: clickhouse.Auth{Username: "tide", Password: "p'w"}}
	if err := connect(t, options).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	const authenticationFailed = 516
	for user, password := range map[string]string{"tide": "", "default": "p'w", "": "p'w"} {
		wrong := *options
		wrong.Auth = clickhouse.Auth{Username: user, Password: password}
		if err := connect(t, &wrong).Ping(t.Context()); code(err) != authenticationFailed {
			t.Errorf("user %q with password %q: %v", user, password, err)
		}
	}
}

func TestDataOutlivesServer(t *testing.T) {
	cfg := clickhousedev.Config{DataDir: t.TempDir()}
	for run := range uint64(3) {
		_, addr, stop := serve(t, cfg)
		conn := connect(t, &clickhouse.Options{Addr: []string{addr}})
		exec(t, conn, "CREATE TABLE IF NOT EXISTS t (a UInt64) ENGINE = MergeTree ORDER BY a", "INSERT INTO t VALUES (1)")
		if n := scan[uint64](t, conn, "SELECT count() FROM t"); n != run+1 {
			t.Fatalf("in run %d there are %d rows", run, n)
		}
		stop()
	}
}

func TestSecondServer(t *testing.T) {
	_, addr, _ := serve(t, clickhousedev.Config{})
	_, err := clickhousedev.New(clickhousedev.Config{LibPath: clickhousetest.Engine(t), DataDir: t.TempDir()})
	if !errors.Is(err, chdb.ErrBusy) {
		t.Fatalf("a second server in the process: %v", err)
	}
	if err := connect(t, &clickhouse.Options{Addr: []string{addr}}).Ping(t.Context()); err != nil {
		t.Fatalf("the first server: %v", err)
	}
}

func TestMissingLibrary(t *testing.T) {
	t.Setenv(chdb.LibraryEnv, "")
	for _, path := range []string{"", "/nowhere/libchdb.so"} {
		_, err := clickhousedev.New(clickhousedev.Config{LibPath: path})
		if !errors.Is(err, chdb.ErrNoLibrary) || !strings.Contains(err.Error(), "make engine") {
			t.Errorf("library %q: %v", path, err)
		}
	}
}

func TestCloseEndsQueries(t *testing.T) {
	server, addr, _ := serve(t, clickhousedev.Config{})
	conn := connect(t, &clickhouse.Options{Addr: []string{addr}})
	ended := make(chan error, 1)
	go func() {
		ended <- conn.Exec(t.Context(), "SELECT count() FROM system.numbers WHERE sipHash64(number) = 1")
	}()
	other := connect(t, &clickhouse.Options{Addr: []string{addr}})
	for scan[uint64](t, other, "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64%' AND query NOT LIKE '%processes%'") == 0 {
		runtime.Gosched()
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Fatal("the query has succeeded")
	}
	if err := server.Close(); !errors.Is(err, clickhousedev.ErrServerClosed) {
		t.Fatalf("closed twice: %v", err)
	}
}

func TestServeContext(t *testing.T) {
	server, _, _ := serve(t, clickhousedev.Config{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	conn := connect(t, &clickhouse.Options{Addr: []string{ln.Addr().String()}})
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if err := conn.Ping(t.Context()); err == nil {
		t.Fatal("a server that has stopped has answered")
	}
	if server.Version() == "" {
		t.Fatal("no version")
	}
}

func TestTemporaryData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	_, _, stop := serve(t, clickhousedev.Config{})
	stop()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Fatalf("left in the temporary directory: %v, %v", entries, err)
	}
}

func TestTLS(t *testing.T) {
	server, _, _ := serve(t, clickhousedev.Config{})
	certificate, client := clickhousetest.Certificate(t)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { served <- server.Serve(ctx, ln) }()
	conn := connect(t, &clickhouse.Options{Addr: []string{ln.Addr().String()}, TLS: client})
	if got := scan[uint8](t, conn, "SELECT 1"); got != 1 {
		t.Fatal(got)
	}
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}
