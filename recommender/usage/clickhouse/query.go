package clickhouse

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// The lengths of the smoothing and of the coverage buckets, in minutes.
const (
	smoothing = 10
	bucket    = 10
)

// serverClock is the server's time in milliseconds since the epoch, as a query reads it.
const serverClock = "toUnixTimestamp64Milli(now64(3))"

// The parts of a usageQuery.
const (
	partClock    = "clock"
	partCPU      = "cpu"
	partResident = "resident"
	partRest     = "rest"
)

// usageQuery builds the query that reads the windows of a batch of services. Time is counted in whole minutes: the age
// of a minute is how many minutes the server's clock is past it, and 0 is the minute that is still going on. A window of
// L minutes holds the ages 0 to L-1. So nothing counts that is older than L, or that claims to come from a later minute.
//
// The query has four parts. The first has one row with the server's clock, even when no service has rows; the others
// have a row for each service: CPU, resident memory, and the rest. Each reads the same few rows of the roll-up but other
// columns. A row has whole numbers, in the order in which usageRow takes them, and the buckets that are covered. FINAL
// puts rows of one hour together that the engine has not merged yet; it need not look across partitions, because an
// hour lies in one. Nothing is compiled, because that takes longer than it saves on so few rows.
type usageQuery struct {
	names    clickhouseschema.Names
	services []string
	windows  []time.Duration // shortest first, whole buckets
	clock    string          // expression, milliseconds since the epoch
	limits   string          // SETTINGS clause
}

func (q *usageQuery) String() string {
	return fmt.Sprintf(`WITH
    assumeNotNull((SELECT toInt64(%s))) AS now_millis,
    intDiv(now_millis, 60000) AS this_minute
SELECT part, service, numbers, buckets
FROM
(
    SELECT '%s' AS part, '' AS service, [now_millis] AS numbers, emptyArrayInt64() AS buckets
    UNION ALL
    %s
    UNION ALL
    %s
    UNION ALL
    %s
)
%s, do_not_merge_across_partitions_select_final = 1, compile_expressions = 0, compile_aggregate_expressions = 0`,
		q.clock, partClock, q.cpu(), q.resident(), q.rest(), q.limits)
}

// from is where all parts read: the hours of the services that the longest window touches.
func (q *usageQuery) from(join string) string {
	return fmt.Sprintf(`%s FINAL
        %s
        WHERE service IN (%s)
          AND hour >= toDateTime(intDiv(this_minute - %d, 60) * 3600, 'UTC')
          AND hour <= toDateTime(this_minute * 60, 'UTC')`,
		q.names.Qualified(q.names.Usage), join, quotedList(q.services), minutes(q.longest())-1)
}

func (q *usageQuery) longest() time.Duration {
	return q.windows[len(q.windows)-1]
}

// inside is the condition that an age is in the window.
func inside(window time.Duration) string {
	return fmt.Sprintf("age >= 0 AND age < %d", minutes(window))
}

// halfUp rounds to a whole number, as time and money are rounded and not as round() does.
func halfUp(number string) string {
	return "toInt64(floor(" + number + " + 0.5))"
}

func minutes(window time.Duration) int64 {
	return int64(window / time.Minute)
}

func quotedList(texts []string) string {
	quoted := make([]string, 0, len(texts))
	for _, text := range texts {
		quoted = append(quoted, clickhouseschema.QuoteString(text))
	}

	return strings.Join(quoted, ", ")
}
