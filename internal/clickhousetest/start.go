package clickhousetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

const (
	// AddrEnv names a server to use instead of starting one.
	AddrEnv = "TIDEMARK_CLICKHOUSE_ADDR"
	// PasswordEnv holds the password of the user "default" of that server.
	PasswordEnv = "TIDEMARK_CLICKHOUSE_PASSWORD" //nolint:gosec // It is the name of a variable.
	// RequireEnv names a variable that, if it is 1, makes tests fail instead of being skipped where there is no server.
	RequireEnv = "TIDEMARK_REQUIRE_CLICKHOUSE"

	cleanupTimeout = 30 * time.Second
)

// Address tells how to reach a server.
type Address struct {
	// Addr is host:port of the native protocol.
	Addr     string
	Database string
	Username string
	Password string
}

// Options returns new options for clickhouse-go, which the caller may change.
func (a Address) Options() *clickhouse.Options {
	return &clickhouse.Options{
		Addr: []string{a.Addr},
		Auth: clickhouse.Auth{Database: a.Database, Username: a.Username, Password: a.Password},
	}
}

// Open connects to the database. The connection is closed when the test has ended.
func (a Address) Open(tb testing.TB) driver.Conn {
	tb.Helper()
	return open(tb, a.Options())
}

func open(tb testing.TB, options *clickhouse.Options) driver.Conn {
	tb.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		tb.Fatalf("connect to ClickHouse: %v", err)
	}
	tb.Cleanup(func() {
		if err := conn.Close(); err != nil {
			tb.Errorf("close the connection to ClickHouse: %v", err)
		}
	})
	return conn
}

// databases numbers the databases of this process. It is global so that tests of one process never share one.
var databases atomic.Uint64

// Start returns a server and a new database in it, which is dropped when the test has ended. See the package's
// documentation for which server it is.
func Start(tb testing.TB) Address {
	tb.Helper()
	server, err := shared.get()
	if err != nil {
		absent(tb, RequireEnv, err)
	}
	a := server
	a.Database = fmt.Sprintf("test_%d_%d", os.Getpid(), databases.Add(1))
	if err := server.exec(tb.Context(), "CREATE DATABASE "+a.Database); err != nil {
		tb.Fatalf("create a database: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		if err := server.exec(ctx, "DROP DATABASE "+a.Database); err != nil {
			tb.Errorf("drop the database: %v", err)
		}
	})
	return a
}

// exec runs a statement on a connection of its own.
func (a Address) exec(ctx context.Context, sql string) error {
	conn, err := clickhouse.Open(a.Options())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	err = conn.Exec(ctx, sql)
	if err := errors.Join(err, conn.Close()); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// absent skips a test for want of a server, or fails it if an environment variable demands one.
func absent(tb testing.TB, env string, err error) {
	tb.Helper()
	if os.Getenv(env) == "1" {
		tb.Fatalf("no ClickHouse, and %s=1 demands one: %v", env, err)
	}
	tb.Skipf("no ClickHouse (set %s=1 to make this a failure): %v", env, err)
}

// shared is the server of this process. It is global because a process can have one embedded engine only.
var shared = &sharedServer{}

type sharedServer struct {
	mu       sync.Mutex
	launched bool
	address  Address
	err      error
	stop     func() error
}

// get returns the server, which is started if it is not running.
func (s *sharedServer) get() (Address, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.launched {
		s.address, s.stop, s.err = launch()
		s.launched = true
	}
	return s.address, s.err
}

// end stops the server if it is running.
func (s *sharedServer) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.launched = false
	if s.stop == nil {
		return nil
	}
	stop := s.stop
	s.stop = nil
	return stop()
}
