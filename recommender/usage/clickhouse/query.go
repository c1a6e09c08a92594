package clickhouse

import (
	"fmt"
	"strconv"
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

// usageQuery builds the query that reads the windows of a batch of services. Time is counted in whole minutes: the age
// of a minute is how many minutes the server's clock is past it, and 0 is the minute that is still going on. A window of
// L minutes holds the ages 0 to L-1. So nothing counts that is older than L, or that claims to come from a later minute.
//
// The query has four parts, each with one row for each service and zeros where another part has the value: a head, which
// has the server's clock even when no service has rows; CPU; resident memory; and the rest. Each part reads the same few
// rows of the roll-up but other columns. FINAL puts rows of one hour together that the engine has not merged yet.
type usageQuery struct {
	names    clickhouseschema.Names
	services []string
	windows  []time.Duration // shortest first, whole buckets
	clock    string          // expression, milliseconds since the epoch
	limits   string          // SETTINGS clause or empty
}

func (q *usageQuery) String() string {
	return fmt.Sprintf(`WITH
    assumeNotNull((SELECT toInt64(%s))) AS now_millis,
    intDiv(now_millis, 60000) AS this_minute
SELECT
    service,
    now_millis,
    least(now_millis, max(newest)),
    %s
FROM
(
    SELECT '' AS service, %s
    UNION ALL
    %s
    UNION ALL
    %s
    UNION ALL
    %s
)
GROUP BY service
%s`, q.clock, q.results(), q.columns(nil), q.cpu(), q.resident(), q.rest(), q.limits)
}

// value is a column that all parts have; each part fills its own and the others with empty ones.
type value struct {
	name, empty string
}

const (
	noNumber = "toUInt64(0)"
	noFloat  = "toFloat64(0)"
)

// values lists the columns of the parts, those of all windows first.
func (q *usageQuery) values() []value {
	values := append(make([]value, 0, 3+7*len(q.windows)),
		value{"newest", "toInt64(0)"},
		value{"cpu_buckets", "emptyArrayInt64()"},
		value{"resident_buckets", "emptyArrayInt64()"},
	)

	for i := range q.windows {
		for _, v := range []value{
			{"cpu_nanos_", noFloat},
			{"query_", noNumber},
			{"resident_peak_", noNumber},
			{"resident_median_", noFloat},
			{"rejections_", noNumber},
			{"kills_", noNumber},
			{"kill_bytes_", noNumber},
		} {
			v.name += strconv.Itoa(i)
			values = append(values, v)
		}
	}

	return values
}

// columns lists the columns of one part: what is given where it is given, and else an empty value.
func (q *usageQuery) columns(given map[string]string) string {
	values := q.values()
	list := make([]string, 0, len(values))

	for _, v := range values {
		expression, ok := given[v.name]
		if !ok {
			expression = v.empty
		}

		list = append(list, expression+" AS "+v.name)
	}

	return strings.Join(list, ",\n        ")
}

// results lists what the query returns of each window, in the order in which a row is scanned: whole numbers, rounded
// half up.
func (q *usageQuery) results() string {
	list := make([]string, 0, len(q.windows))

	for i, window := range q.windows {
		n := strconv.Itoa(i)
		list = append(list, strings.Join([]string{
			fmt.Sprintf("length(arrayFilter(b -> b < %d, arrayIntersect(groupUniqArrayArray(cpu_buckets), groupUniqArrayArray(resident_buckets))))",
				minutes(window)/bucket),
			"toInt64(floor(max(cpu_nanos_" + n + ") / 1e6 + 0.5))",
			"toInt64(max(query_" + n + "))",
			"toInt64(max(resident_peak_" + n + "))",
			"toInt64(floor(max(resident_median_" + n + ") + 0.5))",
			"toInt64(sum(rejections_" + n + "))",
			"toInt64(sum(kills_" + n + "))",
			"toInt64(max(kill_bytes_" + n + "))",
		}, ",\n    "))
	}

	return strings.Join(list, ",\n    ")
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
