package clickhouse

import (
	"fmt"
	"strings"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// serverClock is the server's time in milliseconds since the epoch, as a query reads it.
const serverClock = "toUnixTimestamp64Milli(now64(3))"

// minutesOfHour is how many minutes a row of the roll-up has.
const minutesOfHour = 60

// usageQuery builds the query that reads the rows of the roll-up of a batch of services. Each row is one hour of one
// replica, or a piece of it that the engine has not merged yet.
//
// The query only fetches. To have the engine compute medians, sums and histograms took it three scans and, for one
// service, five times as long: most of that went into planning. So it is kept as plain as can be: one scan, no FINAL, no
// aggregation, no function with a lambda. The maps come as text because that is what the driver decodes fastest, by far.
type usageQuery struct {
	names    clickhouseschema.Names
	services []string
	windows  []int64 // minutes
	reach    int64   // minutes
	clock    string  // expression, milliseconds since the epoch
	limits   string  // SETTINGS clause
}

func (q *usageQuery) String() string {
	return fmt.Sprintf(`WITH
    assumeNotNull((SELECT toInt64(%s))) AS now_millis,
    intDiv(now_millis, 60000) AS this_minute,
    intDiv(toInt64(toUnixTimestamp(hour)), 60) AS start,
    this_minute - start AS hour_age
SELECT
    service, replica, now_millis, start,
    toString(cpu_nanos),
    toString(resident_bytes),
    if(%s, toString(query_bytes), toString(([0], [arrayMax(query_bytes.2)]))),
    toString(rejections),
    toString(oom_kill_bytes),
    if(%s, toString(sampled_millis), toString((arraySlice(sampled_millis.1, -1), arraySlice(sampled_millis.2, -1))))
FROM %s
WHERE service IN (%s)
  AND hour >= toDateTime(intDiv(this_minute - %d, 60) * 3600, 'UTC')
  AND hour <= toDateTime(this_minute * 60, 'UTC')
%s, compile_expressions = 0`,
		q.clock, q.edge(), q.unfinished(), q.names.Qualified(q.names.Usage), quotedList(q.services), q.reach-1, q.limits)
}

// unfinished is the condition that the hour may have minutes that are still to come.
func (q *usageQuery) unfinished() string {
	return fmt.Sprintf("hour_age < %d", minutesOfHour-1)
}

// edge is the condition that some minutes of the hour lie in a window, or count at all, and others do not. Of any other
// hour, the peak is all that matters.
func (q *usageQuery) edge() string {
	conditions := append(make([]string, 0, 1+len(q.windows)), q.unfinished())
	for _, window := range q.windows {
		conditions = append(conditions, fmt.Sprintf("hour_age >= %d AND hour_age < %d", window, window+minutesOfHour-1))
	}

	return strings.Join(conditions, " OR ")
}

func quotedList(texts []string) string {
	quoted := make([]string, 0, len(texts))
	for _, text := range texts {
		quoted = append(quoted, clickhouseschema.QuoteString(text))
	}

	return strings.Join(quoted, ", ")
}
