package clickhouseschema

// column is one column of a table.
type column struct {
	name, kind string
	rest       string // default and codec; may be empty
}

// Types of columns, spelled as the server spells them.
const (
	kindText = "String"
	kindName = "LowCardinality(String)"
	kindTime = "DateTime64(3, 'UTC')"
)

// Columns that several tables or their views know.
const (
	columnService     = "service"
	columnReplica     = "replica"
	columnMetricName  = "metric_name"
	columnHour        = "hour"
	columnServiceName = "service_name"
	columnArrival     = "arrival_ts"
)

// dropParts has the engine drop whole parts when all of their rows have expired, which costs nothing.
const dropParts = "ttl_only_drop_parts = 1"
