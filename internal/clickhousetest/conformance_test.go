package clickhousetest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// peer is a server that the conformance tests talk to.
type peer struct {
	name    string
	address func(testing.TB) clickhousetest.Address
	// wrongPassword and wrongUser are the codes of exceptions; they have changed in the course of time.
	wrongPassword, wrongUser int32
	// old servers do not tell the columns of an INSERT that does not name them, and do not notice that a client has
	// gone away while they aggregate.
	old bool
}

// peers are the server that Start gives, and Debian's. What passes on both is what a ClickHouse does.
func peers() []peer {
	return []peer{
		{name: "start", address: clickhousetest.Start, wrongPassword: 516, wrongUser: 516},
		{name: "debian", address: func(tb testing.TB) clickhousetest.Address {
			tb.Helper()
			return clickhousetest.Debian(tb).Address()
		}, wrongPassword: 193, wrongUser: 192, old: true},
	}
}

// TestConformance runs the same tests against each peer, with each way of compression.
func TestConformance(t *testing.T) {
	tests := map[string]func(*testing.T, peer, *clickhouse.Options){
		"handshake":      testHandshake,
		"credentials":    testCredentials,
		"database":       testDatabase,
		"types":          testTypes,
		"empty":          testEmpty,
		"large":          testLarge,
		"exceptions":     testExceptions,
		"batches":        testBatches,
		"failed batches": testFailedBatches,
		"view":           testMaterializedView,
		"settings":       testSettings,
		"concurrent":     testConcurrent,
		"cancel":         testCancel,
		"hang up":        testHangUp,
	}
	methods := []clickhouse.CompressionMethod{
		clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionZSTD,
	}
	for _, p := range peers() {
		t.Run(p.name, func(t *testing.T) {
			address := p.address(t)
			for _, method := range methods {
				t.Run(method.String(), func(t *testing.T) {
					for name, test := range tests {
						t.Run(name, func(t *testing.T) {
							options := address.Options()
							options.Compression = &clickhouse.Compression{Method: method}
							test(t, p, options)
						})
					}
				})
			}
		})
	}
}

// connect opens a connection that is closed with the test.
func connect(t *testing.T, options *clickhouse.Options) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

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
func scan[T any](t *testing.T, conn driver.Conn, sql string) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
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
