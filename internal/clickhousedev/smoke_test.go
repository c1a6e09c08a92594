package clickhousedev_test

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tidemark-project/tidemark/internal/clickhousedev"
)

func start(t testing.TB) string {
	t.Helper()
	s, err := clickhousedev.New(clickhousedev.Config{LibPath: os.Getenv("CHDB_LIB_PATH")})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), ln) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

func dial(t testing.TB, addr string, comp bool) driver.Conn {
	o := &clickhouse.Options{Addr: []string{addr}}
	if comp {
		o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	}
	c, err := clickhouse.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestSmoke(t *testing.T) {
	addr := start(t)
	ctx := context.Background()
	for _, comp := range []bool{false, true} {
		c := dial(t, addr, comp)
		if err := c.Ping(ctx); err != nil {
			t.Fatal(err)
		}
		v, err := c.ServerVersion()
		t.Log(v, err)
		if err := c.Exec(ctx, "DROP TABLE IF EXISTS t"); err != nil {
			t.Fatal(err)
		}
		if err := c.Exec(ctx, "CREATE TABLE t (a UInt64, b String, c LowCardinality(String), d DateTime, e Float64, f Array(LowCardinality(String)), g Map(String,UInt8)) ENGINE=MergeTree ORDER BY a"); err != nil {
			t.Fatal(err)
		}
		b, err := c.PrepareBatch(ctx, "INSERT INTO t")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100000 {
			if err := b.Append(uint64(i), "hello", "x", time.Unix(int64(i), 0), 1.5, []string{"a", "b"}[:i%3], map[string]uint8{"k": 1}); err != nil {
				t.Fatal(err)
			}
			if i%40000 == 0 {
				if err := b.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := b.Send(); err != nil {
			t.Fatal(err)
		}
		rows, err := c.Query(ctx, "SELECT * FROM t ORDER BY a")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			var (
				a      uint64
				bb, cc string
				d      time.Time
				e      float64
				f      []string
				g      map[string]uint8
			)
			if err := rows.Scan(&a, &bb, &cc, &d, &e, &f, &g); err != nil {
				t.Fatal(err)
			}
			if a != uint64(n) || len(f) != n%3 || g["k"] != 1 {
				t.Fatal(a, n, f, g)
			}
			n++
		}
		if err := rows.Err(); err != nil || n != 100000 {
			t.Fatal(err, n)
		}
		if err := c.Exec(ctx, "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y;')"); err != nil {
			t.Fatal(err)
		}
		err = c.Exec(ctx, "SELECT * FROM nosuch")
		t.Logf("%#v", err)
		rows, err = c.Query(ctx, "SELECT a, b FROM t WHERE a = {x:UInt64} AND 0", clickhouse.Named("x", "5"))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(rows.Columns(), rows.ColumnTypes()[0].DatabaseTypeName(), rows.Next())
		rows.Close()
		var one uint8
		if err := c.QueryRow(ctx, "SELECT 1").Scan(&one); err != nil {
			t.Fatal(err)
		}
		tctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		begin := time.Now()
		err = c.Exec(tctx, "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1")
		cancel()
		t.Log(err, time.Since(begin))
	}
}
