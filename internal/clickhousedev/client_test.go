package clickhousedev_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// waitForQueries waits until the given number of queries whose text has a word run.
func waitForQueries(t *testing.T, conn driver.Conn, word string, want uint64) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	sql := fmt.Sprintf("SELECT count() FROM system.processes WHERE position(query, '%s') > 0 AND query NOT LIKE '%%processes%%'", word)
	for scan[uint64](t, conn, sql) != want {
		select {
		case <-deadline.C:
			t.Fatalf("there are not %d queries with %q", want, word)
		case <-tick.C:
		}
	}
}

// TestSlowReader leaves a large result unread: the server must neither gather it nor keep others waiting.
func TestSlowReader(t *testing.T) {
	server := clickhousetest.Start(t)
	conn := server.Open(t)
	rows, err := conn.Query(t.Context(), "SELECT number, 'slow' FROM numbers(5000000)")
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
	}
	other := server.Open(t)
	if got := scan[uint8](t, other, "SELECT 1"); got != 1 {
		t.Fatal(got)
	}
	waitForQueries(t, other, "slow", 1)
	var read uint64
	if err := other.QueryRow(t.Context(), "SELECT sum(read_rows) FROM system.processes WHERE query LIKE '%slow%'").Scan(&read); err != nil {
		t.Fatal(err)
	}
	if read > 3_000_000 {
		t.Errorf("the server has read %d rows ahead of the client", read)
	}
	n := 10
	for rows.Next() {
		n++
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || n != 5_000_000 {
		t.Fatalf("%d rows, %v", n, err)
	}
}

// TestHangUp cuts connections in the middle of a result and of an INSERT ... SELECT.
func TestHangUp(t *testing.T) {
	server := clickhousetest.Start(t)
	conn := server.Open(t)
	exec(t, conn, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	for word, sql := range map[string]string{
		"streaming": "SELECT number, 'streaming' FROM system.numbers",
		"inserting": "INSERT INTO t SELECT number FROM system.numbers WHERE 'inserting' != ''",
		"altering":  "INSERT INTO t SELECT sleepEachRow(1) FROM numbers(1000) WHERE 'altering' != '' SETTINGS max_block_size = 1",
	} {
		lines := make(chan net.Conn, 1)
		options := server.Options()
		options.DialContext = func(ctx context.Context, addr string) (net.Conn, error) {
			line, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
			lines <- line
			return line, err
		}
		cut, err := clickhouse.Open(options)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cut.Exec(t.Context(), sql) }()
		waitForQueries(t, conn, word, 1)
		if err := (<-lines).Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Errorf("%s: no error", word)
		}
		if err := cut.Close(); err != nil {
			t.Error(err)
		}
		waitForQueries(t, conn, word, 0)
	}
}

// TestManyConnections inserts and selects on several connections at once.
func TestManyConnections(t *testing.T) {
	server := clickhousetest.Start(t)
	options := server.Options()
	options.MaxOpenConns, options.MaxIdleConns = 16, 16
	conn := connect(t, options)
	exec(t, conn, "CREATE TABLE t (worker UInt8, a UInt64) ENGINE = MergeTree ORDER BY (worker, a)")
	const workers, batches, rows = 8, 5, 1000
	group, ctx := errgroup.WithContext(t.Context())
	for worker := range uint8(workers) {
		group.Go(func() error {
			for range batches {
				err := sendBatch(ctx, conn, "INSERT INTO t", func(batch driver.Batch) error {
					for a := range uint64(rows) {
						if err := batch.Append(worker, a); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return fmt.Errorf("insert: %w", err)
				}
				var n uint64
				if err := conn.QueryRow(ctx, "SELECT count() FROM t WHERE worker = ?", worker).Scan(&n); err != nil {
					return fmt.Errorf("count: %w", err)
				}
				if n == 0 || n%rows != 0 {
					return fmt.Errorf("worker %d sees %d rows", worker, n)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := scan[uint64](t, conn, "SELECT count() FROM t"); n != workers*batches*rows {
		t.Fatalf("%d rows", n)
	}
}

func TestProgress(t *testing.T) {
	conn := clickhousetest.Start(t).Open(t)
	var read uint64
	var profiled bool
	ctx := clickhouse.Context(t.Context(),
		clickhouse.WithProgress(func(p *clickhouse.Progress) { read += p.Rows }),
		clickhouse.WithProfileInfo(func(p *clickhouse.ProfileInfo) { profiled = p.Rows == 1 }))
	var sum uint64
	if err := conn.QueryRow(ctx, "SELECT sum(number) FROM numbers(1000000)").Scan(&sum); err != nil {
		t.Fatal(err)
	}
	if read < 1_000_000 || !profiled {
		t.Fatalf("progress of %d rows, profile %v", read, profiled)
	}
}
