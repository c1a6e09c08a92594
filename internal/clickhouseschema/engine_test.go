package clickhouseschema

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func start(t *testing.T) (driver.Conn, Config) {
	t.Helper()

	server := clickhousetest.Start(t)
	config := DefaultConfig()
	config.Names.Database = server.Database

	return server.Open(t), config
}

func apply(t *testing.T, conn driver.Conn, config Config) {
	t.Helper()

	if err := Apply(t.Context(), conn, config); err != nil {
		t.Fatal(err)
	}
}

func execf(t *testing.T, conn driver.Conn, format string, args ...any) {
	t.Helper()

	if err := conn.Exec(t.Context(), fmt.Sprintf(format, args...)); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, conn driver.Conn, config Config) []string {
	t.Helper()

	problems, err := Check(t.Context(), conn, config)
	if err != nil {
		t.Fatal(err)
	}

	return problems
}

func TestApplyAgainAndAgain(t *testing.T) {
	conn, config := start(t)

	for range 3 {
		apply(t, conn, config)

		if problems := check(t, conn, config); len(problems) > 0 {
			t.Errorf("problems right after applying:\n%s", strings.Join(problems, "\n"))
		}
	}
}

func TestApplyWithOtherNamesAndSettings(t *testing.T) {
	conn, config := start(t)
	config.Names = Names{Database: config.Names.Database, Metrics: "m", Signals: "s", Allocations: "a", Usage: "order"}
	config.Retention = Retention{Metrics: 0, Usage: 48 * time.Hour, Signals: 90 * time.Minute, Allocations: time.Hour}
	config.Thresholds = Thresholds{Rejections: 0.5, OOMKillBytes: 1 << 40, ThrottledSeconds: 1e-3}

	apply(t, conn, config)

	if problems := check(t, conn, config); len(problems) > 0 {
		t.Errorf("problems right after applying:\n%s", strings.Join(problems, "\n"))
	}
}

func TestApplyMakesTheDatabase(t *testing.T) {
	conn, config := start(t)
	config.Names.Database += "_made"

	apply(t, conn, config)
	execf(t, conn, "DROP DATABASE %s", Quote(config.Names.Database))
}

func TestApplyFailsWithTheStatement(t *testing.T) {
	conn, config := start(t)
	execf(t, conn, "CREATE TABLE %s (x String) ENGINE = MergeTree ORDER BY x", config.Names.Qualified(config.Names.Metrics))

	// The view cannot be made of a table that lacks the columns.
	err := Apply(t.Context(), conn, config)
	if err == nil || !strings.Contains(err.Error(), "CREATE MATERIALIZED VIEW") {
		t.Errorf("got %v", err)
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	conn, config := start(t)

	problems := strings.Join(check(t, conn, config), "\n")
	for _, want := range []string{
		"table prometheus_metrics does not exist", "table service_allocations does not exist",
		"view usage_rollup_view does not exist: table usage_rollup gets no rows",
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("an empty database does not give %q:\n%s", want, problems)
		}
	}

	apply(t, conn, config)

	database := Quote(config.Names.Database)
	execf(t, conn, "DROP TABLE %s.usage_rollup_view", database)
	execf(t, conn, "DROP TABLE %s.service_allocations", database)
	execf(t, conn, "CREATE TABLE %s.service_allocations (service String, cpu_millis Int32, more String, at DateTime) ENGINE = MergeTree ORDER BY (service, more) TTL at + toIntervalSecond(9)", database)
	execf(t, conn, "DROP TABLE %s.recommendation_signals_view", database)
	// The fault of the published example: a column of another name. Older engines accept it without being told to.
	lax := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"allow_materialized_view_with_bad_select": 1}))
	if err := conn.Exec(lax, fmt.Sprintf(`CREATE MATERIALIZED VIEW %[1]s.recommendation_signals_view TO %[1]s.recommendation_signals AS
		SELECT ts AS scrape_ts, service AS service_id, metric_name, value AS metric_value, now64(3, 'UTC') AS arrival_ts
		FROM %[1]s.prometheus_metrics`, database)); err != nil {
		t.Fatal(err)
	}

	execf(t, conn, "ALTER TABLE %s.usage_rollup DROP COLUMN rejections", database)
	execf(t, conn, "ALTER TABLE %s.usage_rollup MODIFY TTL hour + INTERVAL 5 DAY", database)

	got := check(t, conn, config)
	slices.Sort(got)

	want := []string{
		"column cpu_millis of table service_allocations is Int32 instead of Int64",
		"table service_allocations drops rows (TTL at + toIntervalSecond(9)) although they are to be kept",
		"table service_allocations has the engine MergeTree instead of ReplacingMergeTree",
		"table service_allocations is ordered by (service, more) instead of (service)",
		"table service_allocations lacks the column labels Map(String, String)",
		"table service_allocations lacks the column memory_bytes Int64",
		"table service_allocations lacks the column replicas Int32",
		"table service_allocations lacks the column updated_at DateTime64(3, 'UTC')",
		"table usage_rollup has the TTL hour + toIntervalDay(5) instead of hour + toIntervalSecond(1296000)",
		"table usage_rollup lacks the column rejections SimpleAggregateFunction(maxMap, Tuple(Array(UInt32), Array(UInt64)))",
		"view recommendation_signals_view has a column service_id that table recommendation_signals lacks: it is lost",
		"view recommendation_signals_view has no column service_name: it stays empty in table recommendation_signals",
		"view usage_rollup_view does not exist: table usage_rollup gets no rows",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCheckFindsAnOldView(t *testing.T) {
	conn, config := start(t)
	apply(t, conn, config)

	config.Thresholds.Rejections = 2
	config.Retention.Signals = 0
	config.Retention.Metrics = time.Hour

	apply(t, conn, config) // changes nothing that exists

	got := strings.Join(check(t, conn, config), "\n")
	for _, want := range []string{
		"view recommendation_signals_view selects something else", "drops rows", "table prometheus_metrics has the TTL",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

// TestEveryViewColumnLands proves on the engine that the columns of each view's SELECT are those of its target, and
// that each arrives there: a sample is inserted that leaves no column at its default.
func TestEveryViewColumnLands(t *testing.T) {
	conn, config := start(t)
	apply(t, conn, config)

	at := time.Now().UTC().Truncate(time.Hour).Add(-25*time.Minute + 7*time.Millisecond)
	for _, metric := range []string{MetricCPU, MetricResident, MetricQueryMemory, MetricRejections, MetricOOMKill, MetricThrottled} {
		execf(t, conn, "INSERT INTO %s SELECT 'a/b', 'r1', '%s', fromUnixTimestamp64Milli(%d), 42",
			config.Names.Qualified(config.Names.Metrics), metric, at.UnixMilli())
	}

	execf(t, conn, "OPTIMIZE TABLE %s FINAL", config.Names.Qualified(config.Names.Usage))

	for _, v := range config.views() {
		selected := columnNames(t, conn, v.query(&config)+" LIMIT 0")
		//nolint:unqueryvet // which columns there are is the question
		target := columnNames(t, conn, "SELECT * FROM "+config.Names.Qualified(v.target.name)+" LIMIT 0")

		if diff := cmp.Diff(target, selected); diff != "" {
			t.Errorf("view %s (-columns of %s +columns selected):\n%s", v.name, v.target.name, diff)
		}

		for _, column := range target {
			var total, empty uint64

			query := fmt.Sprintf("SELECT count(), countIf(%[1]s = defaultValueOfTypeName(toTypeName(%[1]s))) FROM %[2]s",
				Quote(column), config.Names.Qualified(v.target.name))
			if err := conn.QueryRow(t.Context(), query).Scan(&total, &empty); err != nil {
				t.Fatalf("%s: %v", query, err)
			}

			if total == 0 || empty > 0 {
				t.Errorf("%d of %d rows of %s have nothing in column %s", empty, total, v.target.name, column)
			}
		}
	}
}

func columnNames(t *testing.T, conn driver.Conn, query string) []string {
	t.Helper()

	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}

	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}

	return rows.Columns()
}

func TestSignalsView(t *testing.T) {
	conn, config := start(t)
	config.Thresholds = Thresholds{Rejections: 3, OOMKillBytes: 1000, ThrottledSeconds: 0.25}
	apply(t, conn, config)

	batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO "+config.Names.Qualified(config.Names.Metrics))
	if err != nil {
		t.Fatal(err)
	}

	defer batch.Close() //nolint:errcheck // Send has been seen to

	for i, sample := range []struct {
		metric string
		value  float64
	}{
		{MetricRejections, 2.9},
		{MetricRejections, 3},
		{MetricOOMKill, 999},
		{MetricOOMKill, 1000},
		{MetricThrottled, 0.2},
		{MetricThrottled, 0.3},
		{MetricRejections, math.NaN()},
		{MetricRejections, math.Inf(1)},
		{MetricRejections, -5},
		{MetricCPU, 1e5},
		{"unknown", 1e9},
	} {
		if err := batch.Append(fmt.Sprintf("a/s%02d", i), "r", sample.metric, time.Now(), sample.value); err != nil {
			t.Fatal(err)
		}
	}

	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}

	var got []string

	err = eachRow(t.Context(), conn, "SELECT concat(service_name, ' ', toString(metric_value)) FROM "+
		config.Names.Qualified(config.Names.Signals)+" WHERE arrival_ts > now64(3) - 60 ORDER BY service_name",
		func(rows driver.Rows) error {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}

			got = append(got, line)

			return nil
		})
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{"a/s01 3", "a/s03 1000", "a/s05 0.3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
