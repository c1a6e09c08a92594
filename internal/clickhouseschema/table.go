package clickhouseschema

import (
	"fmt"
	"strings"
	"time"
)

// table is one table as it should be. Types, keys and engines are spelled as the server's system tables spell them, so
// that Check can compare them.
type table struct {
	name      string
	columns   []column
	engine    string // without arguments and without a Replicated in front
	version   string // argument of the engine; may be empty
	partition string // may be empty
	order     []string
	keep      time.Duration // 0 is for ever
	keepBy    string        // the time that keep counts from
	settings  []string
}

// tables are all tables, in the order in which they are made.
func (c *Config) tables() []table {
	return []table{c.metricsTable(), c.signalsTable(), c.allocationsTable(), c.usageTable()}
}

func (c *Config) metricsTable() table {
	return table{
		name: c.Names.Metrics,
		columns: []column{
			{columnService, kindText, ""},
			{columnReplica, kindName, ""},
			{columnMetricName, kindName, ""},
			{"ts", kindTime, "CODEC(Delta, ZSTD(1))"},
			{"value", "Float64", "CODEC(Gorilla, ZSTD(1))"},
		},
		engine:    "MergeTree",
		partition: "toDate(ts)",
		order:     []string{columnService, columnMetricName, columnReplica, "ts"},
		keep:      c.Retention.Metrics,
		keepBy:    "toDateTime(ts)",
		settings:  []string{dropParts},
	}
}

// signalsTable is polled by arrival, every few seconds, so it is ordered by arrival. Rows expire in whole partitions of
// ten minutes, and expiry is looked at far more often than the server's default of four hours.
func (c *Config) signalsTable() table {
	return table{
		name: c.Names.Signals,
		columns: []column{
			{"scrape_ts", kindTime, ""},
			{columnServiceName, kindText, ""},
			{columnMetricName, kindName, ""},
			{"metric_value", "Float64", ""},
			{columnArrival, kindTime, "DEFAULT now64(3, 'UTC')"},
		},
		engine:    "MergeTree",
		partition: "toStartOfTenMinutes(arrival_ts)",
		order:     []string{columnArrival, columnServiceName, columnMetricName},
		keep:      c.Retention.Signals,
		keepBy:    "toDateTime(arrival_ts)",
		settings:  []string{dropParts, "merge_with_ttl_timeout = 300"},
	}
}

func (c *Config) allocationsTable() table {
	return table{
		name: c.Names.Allocations,
		columns: []column{
			{columnService, kindText, ""},
			{"cpu_millis", "Int64", ""},
			{"memory_bytes", "Int64", ""},
			{"replicas", "Int32", ""},
			{"labels", "Map(String, String)", ""},
			{"updated_at", kindTime, "DEFAULT now64(3, 'UTC')"},
		},
		engine:  "ReplacingMergeTree",
		version: "updated_at",
		order:   []string{columnService},
		keep:    c.Retention.Allocations,
		keepBy:  "toDateTime(updated_at)",
	}
}

// usageTable has one row for each service, hour and replica, with what each minute of the hour held. A day and a
// quarter of a service with three replicas is 93 rows. Inserts add rows; the engine's merges, and the reading query,
// put rows of one key together: sums add up and maxima stay, so rows may come late, split and in any order. CPU is
// summed in whole nanocores, because sums of floats depend on the order. The events are kept by millisecond, so that an
// insert that is repeated counts once.
func (c *Config) usageTable() table {
	minuteMax := "SimpleAggregateFunction(maxMap, Tuple(Array(UInt8), Array(UInt64)))"
	milliMax := "SimpleAggregateFunction(maxMap, Tuple(Array(UInt32), Array(UInt64)))"

	return table{
		name: c.Names.Usage,
		columns: []column{
			{columnService, kindText, ""},
			{columnHour, "DateTime('UTC')", ""},
			{columnReplica, kindText, ""},
			{"cpu_nanos", "SimpleAggregateFunction(sumMap, Tuple(Array(UInt8), Array(UInt64), Array(UInt64)))", ""},
			{"resident_bytes", minuteMax, ""},
			{"query_bytes", minuteMax, ""},
			{"rejections", milliMax, ""},
			{"oom_kill_bytes", milliMax, ""},
			{"sampled_millis", "SimpleAggregateFunction(maxMap, Tuple(Array(UInt8), Array(UInt16)))", ""},
		},
		engine:    "AggregatingMergeTree",
		partition: "toDate(hour)",
		order:     []string{columnService, columnHour, columnReplica},
		keep:      c.Retention.Usage,
		keepBy:    columnHour,
		settings:  []string{dropParts, "index_granularity = 128"},
	}
}

// create returns the statement that makes the table where it does not exist.
func (t *table) create(c *Config) string {
	var b strings.Builder

	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s%s\n(\n", c.Names.Qualified(t.name), c.onCluster())

	for i, col := range t.columns {
		separator := ","
		if i == len(t.columns)-1 {
			separator = ""
		}

		fmt.Fprintf(&b, "    %s%s\n", strings.TrimRight(col.name+" "+col.kind+" "+col.rest, " "), separator)
	}

	fmt.Fprintf(&b, ")\nENGINE = %s(%s)\n", c.enginePrefix()+t.engine, t.version)

	if t.partition != "" {
		fmt.Fprintf(&b, "PARTITION BY %s\n", t.partition)
	}

	fmt.Fprintf(&b, "ORDER BY (%s)", strings.Join(t.order, ", "))

	if t.keep > 0 {
		fmt.Fprintf(&b, "\nTTL %s", t.ttl())
	}

	if len(t.settings) > 0 {
		fmt.Fprintf(&b, "\nSETTINGS %s", strings.Join(t.settings, ", "))
	}

	return b.String()
}

// ttl is spelled as the server spells it back.
func (t *table) ttl() string {
	return fmt.Sprintf("%s + toIntervalSecond(%d)", t.keepBy, int64(t.keep/time.Second))
}
