package clickhousetest_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"
)

// endless is a query that ends only when it is cancelled. The name makes it known among others.
func endless(name string) string {
	return fmt.Sprintf("SELECT count() FROM system.numbers WHERE sipHash64(number) = 1 AND '%s' != ''", name)
}

func testConcurrent(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	group, ctx := errgroup.WithContext(t.Context())
	for worker := range uint64(8) {
		group.Go(func() error {
			for i := range uint64(10) {
				var got uint64
				want := worker*1000 + i
				if err := conn.QueryRow(ctx, fmt.Sprintf("SELECT toUInt64(%d)", want)).Scan(&got); err != nil {
					return fmt.Errorf("query: %w", err)
				}
				if got != want {
					return fmt.Errorf("got %d, want %d", got, want)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

func testCancel(t *testing.T, _ peer, options *clickhouse.Options) {
	t.Helper()
	conn := connect(t, options)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		rows, err := conn.Query(ctx, endless("cancelled"))
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
		}
		ended <- err
	}()
	waitForQueries(t, conn, "cancelled", 1)
	if err := conn.Ping(t.Context()); err != nil {
		t.Fatalf("while a query runs: %v", err)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the cancelled query has succeeded")
	}
	waitForQueries(t, conn, "cancelled", 0)
	if one := scan[uint8](t, conn, "SELECT 1"); one != 1 {
		t.Fatalf("after a cancellation, SELECT 1 is %d", one)
	}
}

// testHangUp cuts the connection while a query runs, without a word to the server.
func testHangUp(t *testing.T, p peer, options *clickhouse.Options) {
	t.Helper()
	if p.old {
		t.Skip("servers as old as this one go on")
	}
	conn := connect(t, options)
	lines := make(chan net.Conn, 1)
	cut := *options
	cut.DialContext = func(ctx context.Context, addr string) (net.Conn, error) {
		line, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err == nil {
			lines <- line
		}
		return line, err
	}
	other := connect(t, &cut)
	ended := make(chan error, 1)
	go func() { ended <- other.Exec(t.Context(), endless("hung up")) }()
	waitForQueries(t, conn, "hung up", 1)
	if err := (<-lines).Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Fatal("the query has succeeded")
	}
	waitForQueries(t, conn, "hung up", 0)
}

// waitForQueries waits until the given number of endless queries of a name run.
func waitForQueries(t *testing.T, conn driver.Conn, name string, want uint64) {
	t.Helper()
	const patience = 30 * time.Second
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	sql := fmt.Sprintf("SELECT count() FROM system.processes WHERE query LIKE '%%''%s''%%' AND query NOT LIKE '%%processes%%'", name)
	for {
		if scan[uint64](t, conn, sql) == want {
			return
		}
		select {
		case <-deadline.C:
			t.Fatalf("there are not %d queries %q after %v", want, name, patience)
		case <-tick.C:
		}
	}
}
