package clickhouseschema

import (
	"fmt"
	"strings"
)

// view fills one table from the raw table. ClickHouse matches the columns of a view's SELECT with the target's by name
// and quietly fills those that no name matches with defaults. So a view is made of its target's columns: each column has
// an expression, the column's name is its alias, and a column without an expression cannot be written down.
type view struct {
	name   string
	target table
	// with are names for expressions, "expression AS name".
	with        []string
	expressions map[string]string
	where       string
	groupBy     string // may be empty
}

// views are all views, in the order in which they are made.
func (c *Config) views() []view {
	return []view{c.signalsView(), c.usageView()}
}

// signalsView picks the samples that call for an evaluation out of the raw stream.
func (c *Config) signalsView() view {
	over := func(metric string, threshold float64) string {
		return fmt.Sprintf("((raw.metric_name = %s) AND (raw.value >= %g))", QuoteString(metric), threshold)
	}

	return view{
		name:   viewName(c.Names.Signals),
		target: c.signalsTable(),
		expressions: map[string]string{
			"scrape_ts":       "raw.ts",
			columnServiceName: "raw.service",
			columnMetricName:  "raw.metric_name",
			"metric_value":    "raw.value",
			columnArrival:     "now64(3, 'UTC')",
		},
		where: fmt.Sprintf("isFinite(raw.value) AND (%s)", strings.Join([]string{
			over(MetricRejections, c.Thresholds.Rejections),
			over(MetricOOMKill, c.Thresholds.OOMKillBytes),
			over(MetricThrottled, c.Thresholds.ThrottledSeconds),
		}, " OR ")),
	}
}

// usageView folds the raw stream into the roll-up. Times are reckoned from the epoch, so that no zone has a say.
func (c *Config) usageView() view {
	is := func(metric string) string { return "raw.metric_name = " + QuoteString(metric) }
	maxBy := func(key, condition string) string {
		return fmt.Sprintf("maxMapIf([%s], [toUInt64(ceil(raw.value))], %s)", key, condition)
	}

	return view{
		name:   viewName(c.Names.Usage),
		target: c.usageTable(),
		with: []string{
			"toUnixTimestamp64Milli(raw.ts) AS millis",
			"toUInt8(intDiv(millis, 60000) % 60) AS minute_of_hour",
			"toUInt32(millis % 3600000) AS milli_of_hour",
		},
		expressions: map[string]string{
			columnService:    "raw.service",
			columnHour:       "toDateTime(intDiv(millis, 3600000) * 3600, 'UTC')",
			columnReplica:    "toString(raw.replica)",
			"cpu_nanos":      fmt.Sprintf("sumMapIf([minute_of_hour], [toUInt64(round(raw.value * 1000000000))], [toUInt64(1)], %s)", is(MetricCPU)),
			"resident_bytes": maxBy("minute_of_hour", is(MetricResident)),
			"query_bytes":    maxBy("minute_of_hour", is(MetricQueryMemory)),
			"rejections":     maxBy("milli_of_hour", "("+is(MetricRejections)+") AND (raw.value > 0)"),
			"oom_kill_bytes": maxBy("milli_of_hour", "("+is(MetricOOMKill)+") AND (raw.value > 0)"),
			"sampled_millis": fmt.Sprintf("maxMapIf([minute_of_hour], [toUInt16(milli_of_hour %% 60000)], raw.metric_name IN (%s))",
				metricList(MetricCPU, MetricResident, MetricQueryMemory)),
		},
		where: fmt.Sprintf("(raw.metric_name IN (%s)) AND isFinite(raw.value) AND (raw.value >= 0) AND (raw.value < if(%s, %d, %d)) AND (millis >= 0)",
			metricList(MetricCPU, MetricResident, MetricQueryMemory, MetricRejections, MetricOOMKill),
			is(MetricCPU), int64(MaxCores), int64(MaxBytes)),
		groupBy: "service, hour, replica",
	}
}

func metricList(metrics ...string) string {
	quoted := make([]string, 0, len(metrics))
	for _, metric := range metrics {
		quoted = append(quoted, QuoteString(metric))
	}

	return strings.Join(quoted, ", ")
}

// create returns the statement that makes the view where it does not exist.
func (v *view) create(c *Config) string {
	return fmt.Sprintf("CREATE MATERIALIZED VIEW IF NOT EXISTS %s%s TO %s AS\n%s",
		c.Names.Qualified(v.name), c.onCluster(), c.Names.Qualified(v.target.name), v.query(c))
}

// query returns the view's SELECT.
func (v *view) query(c *Config) string {
	var b strings.Builder

	if len(v.with) > 0 {
		fmt.Fprintf(&b, "WITH\n    %s\n", strings.Join(v.with, ",\n    "))
	}

	b.WriteString("SELECT\n")

	for i, col := range v.target.columns {
		separator := ","
		if i == len(v.target.columns)-1 {
			separator = ""
		}

		fmt.Fprintf(&b, "    %s AS %s%s\n", v.expressions[col.name], col.name, separator)
	}

	fmt.Fprintf(&b, "FROM %s AS raw\nWHERE %s", c.Names.Qualified(c.Names.Metrics), v.where)

	if v.groupBy != "" {
		fmt.Fprintf(&b, "\nGROUP BY %s", v.groupBy)
	}

	return b.String()
}
