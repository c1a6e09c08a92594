package clickhouse

import (
	"fmt"
	"strconv"
	"strings"
)

// hourMinute is the first minute of a row's hour, in minutes since the epoch.
const hourMinute = "intDiv(toInt64(toUnixTimestamp(hour)), 60)"

// cpu reads the highest rolling median of each window.
//
// A median is made for each minute that has samples, of the minutes that have samples among the ten that end with it.
// In a window it counts when all ten lie in the window. The window's first ten minutes count once, together: were a
// median made of the first minute alone, every short spike would count as a peak for a minute when it is about to leave
// the window.
func (q *usageQuery) cpu() string {
	perReplica, perService := []string{}, map[string]string{
		"cpu_buckets": "groupUniqArrayArray(buckets)",
	}

	for i, window := range q.windows {
		n, length := strconv.Itoa(i), minutes(window)
		perReplica = append(perReplica, fmt.Sprintf(
			"greatest(maxIf(median, minute > this_minute - %d), ifNotFinite(quantileExactInclusiveIf(0.5)(mean, minute > this_minute - %d AND minute <= this_minute - %d), 0)) AS peak_%s",
			length-smoothing+1, length, length-smoothing, n))
		perService["cpu_nanos_"+n] = "max(peak_" + n + ")"
	}

	from := q.from("ARRAY JOIN cpu_nanos.1 AS key, cpu_nanos.2 AS total, cpu_nanos.3 AS samples")

	return fmt.Sprintf(`SELECT service, %s
    FROM
    (
        SELECT
            service,
            groupUniqArray(intDiv(this_minute - minute, %d)) AS buckets,
            %s
        FROM
        (
            SELECT
                service, replica, minute, mean,
                quantileExactInclusive(0.5)(mean) OVER (
                    PARTITION BY service, replica ORDER BY minute RANGE BETWEEN %d PRECEDING AND CURRENT ROW) AS median
            FROM
            (
                SELECT service, replica, %s + key AS minute, total / samples AS mean
                FROM %s
                  AND %s
            )
        )
        GROUP BY service, replica
    )
    GROUP BY service`,
		q.columns("", perService), bucket, strings.Join(perReplica, ",\n            "), smoothing-1,
		hourMinute, from, inside("minute", q.windows[len(q.windows)-1]))
}

// resident reads the peak of the resident memory, and the median over the minutes of the largest replica's.
func (q *usageQuery) resident() string {
	perService := map[string]string{
		"resident_buckets": fmt.Sprintf("groupUniqArray(intDiv(this_minute - minute, %d))", bucket),
	}

	for i, window := range q.windows {
		n := strconv.Itoa(i)
		perService["resident_peak_"+n] = fmt.Sprintf("maxIf(bytes, %s)", inside("minute", window))
		perService["resident_median_"+n] = fmt.Sprintf(
			"ifNotFinite(quantileExactInclusiveIf(0.5)(bytes, %s), 0)", inside("minute", window))
	}

	from := q.from("ARRAY JOIN resident_bytes.1 AS key, resident_bytes.2 AS replica_bytes")

	return fmt.Sprintf(`SELECT service, %s
    FROM
    (
        SELECT service, %s + key AS minute, max(replica_bytes) AS bytes
        FROM %s
          AND %s
        GROUP BY service, minute
    )
    GROUP BY service`,
		q.columns("", perService), hourMinute, from, inside("minute", q.windows[len(q.windows)-1]))
}

// rest reads the peak of the work's memory, the events, and the time of the newest sample.
func (q *usageQuery) rest() string {
	minute := func(key string) string { return hourMinute + " + " + key }
	event := func(key string) string { return minute("intDiv(" + key + ", 60000)") }

	perService := map[string]string{
		"newest": fmt.Sprintf(
			"toInt64(maxArray(arrayMap((key, millis) -> if(%s, (%s) * 60000 + millis, 0), sampled_millis.1, sampled_millis.2)))",
			inside(minute("key"), q.windows[len(q.windows)-1]), minute("key")),
	}

	for i, window := range q.windows {
		n := strconv.Itoa(i)
		perService["query_"+n] = fmt.Sprintf(
			"maxArray(arrayMap((key, bytes) -> if(%s, bytes, 0), query_bytes.1, query_bytes.2))",
			inside(minute("key"), window))
		perService["rejections_"+n] = fmt.Sprintf(
			"sumArray(arrayMap((key, number) -> if(%s, number, 0), rejections.1, rejections.2))",
			inside(event("key"), window))
		perService["kills_"+n] = fmt.Sprintf(
			"toUInt64(sumArray(arrayMap(key -> if(%s, 1, 0), oom_kill_bytes.1)))",
			inside(event("key"), window))
		perService["kill_bytes_"+n] = fmt.Sprintf(
			"maxArray(arrayMap((key, bytes) -> if(%s, bytes, 0), oom_kill_bytes.1, oom_kill_bytes.2))",
			inside(event("key"), window))
	}

	return fmt.Sprintf(`SELECT service, %s
    FROM %s
    GROUP BY service`,
		q.columns("", perService), q.from(""))
}
