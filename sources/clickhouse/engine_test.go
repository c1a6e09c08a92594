package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// quickConfig polls often, because these tests run in real time.
func quickConfig(database string) Config {
	config := DefaultConfig()
	config.Database = database
	config.PollInterval = 20 * time.Millisecond

	return config
}

// follow runs a source. It returns a function that waits until the sink has seen all services given, and one that ends
// the source and says what it has done: while it runs, a signal that has arrived need not have been counted yet.
func follow(t *testing.T, config Config, conn Conn) (await func(services ...string), stop func() Stats) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	arrived := make(chan struct{}, 1000)
	sink := &signallingSink{arrived: arrived}
	done := make(chan struct{})
	source := New(config, conn, slog.New(slog.DiscardHandler))

	go func() {
		defer close(done)

		_ = source.Run(ctx, sink)
	}()

	stop = func() Stats {
		cancel()
		<-done

		return source.Stats()
	}

	t.Cleanup(func() { stop() })

	return func(services ...string) {
		t.Helper()

		deadline := time.After(time.Minute)

		for {
			seen := map[string]bool{}
			for _, line := range sink.seen() {
				service, _, _ := strings.Cut(line, " ")
				if seen[service] {
					t.Fatalf("%s was delivered twice: %v", service, sink.seen())
				}

				seen[service] = true
			}

			if !slices.ContainsFunc(services, func(s string) bool { return !seen[s] }) {
				return
			}

			select {
			case <-arrived:
			case <-deadline:
				t.Fatalf("want %v, got %v; stats %+v", services, slices.Sorted(maps.Keys(seen)), source.Stats())
			}
		}
	}, stop
}

// TestFromSampleToRequest goes the whole way on the real engine: a raw sample, the view, the signals table, the poll.
func TestFromSampleToRequest(t *testing.T) {
	server := clickhousetest.Start(t)
	conn := server.Open(t)
	schema := clickhouseschema.DefaultConfig()
	schema.Names.Database = server.Database

	if err := clickhouseschema.Apply(t.Context(), conn, schema); err != nil {
		t.Fatal(err)
	}

	insert := func(service, metric string, value float64) {
		t.Helper()

		execf(t, conn, "INSERT INTO %s VALUES ('%s', 'r', '%s', now64(3) - 1, %g)",
			schema.Names.Qualified(schema.Names.Metrics), service, metric, value)
	}

	insert("a/before", clickhouseschema.MetricRejections, 3)

	await, stop := follow(t, quickConfig(server.Database), conn)
	await("a/before")

	insert("a/kill", clickhouseschema.MetricOOMKill, 1<<30)
	insert("a/usual", clickhouseschema.MetricCPU, 3)
	insert("a/throttled", clickhouseschema.MetricThrottled, 2)
	insert("a/below", clickhouseschema.MetricThrottled, 0.5)
	await("a/before", "a/kill", "a/throttled")

	if stats := stop(); stats.Signals != 3 || stats.Invalid != 0 || stats.ClockOffset.Abs() > 5*time.Second {
		t.Errorf("unexpected %+v", stats)
	}
}

// TestPrecisionAndZones reads the same instants from columns of any precision and in sessions of any zone.
func TestPrecisionAndZones(t *testing.T) {
	server := clickhousetest.Start(t)
	conn := server.Open(t)
	now := time.Now().UTC().Truncate(time.Second)

	for i, kind := range []string{"DateTime", "DateTime('Asia/Kathmandu')", "DateTime64(0)", "DateTime64(3, 'UTC')", "DateTime64(6, 'America/New_York')", "DateTime64(9)"} {
		config := DefaultConfig()
		config.Database, config.Table = server.Database, fmt.Sprintf("signals_%d", i)
		config.Columns = Columns{"who", "what", "much", "seen at", "came`at"}

		execf(t, conn, "CREATE TABLE %s.%s (who LowCardinality(String), what String, much UInt32, `seen at` %s, `came\\`at` %s) ENGINE = MergeTree ORDER BY `came\\`at`",
			server.Database, config.Table, kind, kind)

		for second := range 4 {
			execf(t, conn, "INSERT INTO %s.%s SELECT 'a/s%d', 'm', 7, toDateTime(%d), toDateTime(%d)",
				server.Database, config.Table, second, now.Unix()-100, now.Unix()+int64(second))
		}

		ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"session_timezone": "Asia/Kathmandu"}))

		var got []row

		clock, err := (&table{config: config, conn: conn}).read(ctx, now.Add(time.Second), now.Add(2*time.Second),
			func(r row) { got = append(got, r) })
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}

		slices.SortFunc(got, func(a, b row) int { return strings.Compare(a.service, b.service) })

		want := []row{
			{newSignal("a/s1", "m", 7, now.Add(-100*time.Second)), now.Add(time.Second)},
			{newSignal("a/s2", "m", 7, now.Add(-100*time.Second)), now.Add(2 * time.Second)},
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{}, signal{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}

		if clock.Sub(now).Abs() > time.Minute {
			t.Errorf("%s: the server's clock is read as %s", kind, clock)
		}
	}
}

// TestEdgeOfWindow reads rows in the seconds around the bounds, each from a part of its own, of which the index decides
// whether it is looked at.
func TestEdgeOfWindow(t *testing.T) {
	server := clickhousetest.Start(t)
	conn := server.Open(t)
	schema := clickhouseschema.DefaultConfig()
	schema.Names.Database = server.Database

	if err := clickhouseschema.Apply(t.Context(), conn, schema); err != nil {
		t.Fatal(err)
	}

	from := time.Now().UTC().Truncate(time.Second).Add(-time.Minute)
	to := from.Add(10 * time.Second)

	for _, at := range []time.Time{
		from.Add(-time.Millisecond), from, from.Add(time.Millisecond), to.Add(-time.Second), to.Add(-500 * time.Millisecond),
		to.Add(-time.Millisecond), to, to.Add(time.Millisecond),
	} {
		execf(t, conn, "INSERT INTO %s SELECT fromUnixTimestamp64Milli(%d), 'a/b', 'm', 1, fromUnixTimestamp64Milli(%d)",
			schema.Names.Qualified(schema.Names.Signals), at.UnixMilli(), at.UnixMilli())
	}

	var got []time.Duration

	_, err := (&table{config: quickConfig(server.Database), conn: conn}).read(t.Context(), from, to,
		func(r row) { got = append(got, r.arrival.Sub(from)) })
	if err != nil {
		t.Fatal(err)
	}

	slices.Sort(got)

	want := []time.Duration{
		0, time.Millisecond, 9 * time.Second, 9500 * time.Millisecond, 9999 * time.Millisecond, 10 * time.Second,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arrivals after the lower bound (-want +got):\n%s", diff)
	}
}

func TestReadCannotBeMade(t *testing.T) {
	server := clickhousetest.Start(t)

	_, err := (&table{config: quickConfig(server.Database), conn: server.Open(t)}).
		read(t.Context(), time.Now(), time.Now(), func(row) {})
	if err == nil || !strings.Contains(err.Error(), "recommendation_signals") {
		t.Errorf("a missing table gives %v", err)
	}
}

// TestOldServer polls ClickHouse 18.16, with whole seconds and restarts in between.
func TestOldServer(t *testing.T) {
	server := clickhousetest.Debian(t)
	conn := server.Address().Open(t)

	execf(t, conn, `CREATE TABLE signals (scrape_ts DateTime, service_name String, metric_name String, metric_value Float64,
		arrival_ts DateTime DEFAULT now()) ENGINE = MergeTree() PARTITION BY toDate(arrival_ts) ORDER BY arrival_ts`)

	config := quickConfig("default")
	config.Table = "signals"
	config.PollInterval = 100 * time.Millisecond
	await, stop := follow(t, config, conn)

	var want []string

	insert := func() {
		t.Helper()

		for range 5 {
			want = append(want, fmt.Sprintf("a/s%d", len(want)))
			execf(t, conn, "INSERT INTO signals (scrape_ts, service_name, metric_name, metric_value) SELECT toDateTime(%d), '%s', 'memory_rejections', 1",
				time.Now().Unix(), want[len(want)-1])
		}
	}

	insert()
	await(want...)

	server.Stop()
	server.Start()
	insert()
	await(want...)

	insert()
	server.Kill()
	server.Start()
	insert()
	await(want...)

	if stats := stop(); stats.ClockOffset.Abs() > 5*time.Second || stats.Signals != int64(len(want)) {
		t.Errorf("unexpected %+v", stats)
	}
}

// execf runs a statement; after a restart of the server the pool's connections are dead, so it tries each once.
func execf(t *testing.T, conn driver.Conn, format string, args ...any) {
	t.Helper()

	var err error

	for range 10 {
		if err = conn.Exec(t.Context(), fmt.Sprintf(format, args...)); err == nil {
			return
		}
	}

	t.Fatal(err)
}
