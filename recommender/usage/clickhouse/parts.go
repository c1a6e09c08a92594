package clickhouse

import (
	"fmt"
	"strings"
	"time"
)

// hourAge is the age of the first minute of a row's hour.
const hourAge = "this_minute - intDiv(toInt64(toUnixTimestamp(hour)), 60)"

// cpu reads the highest rolling median of each window.
//
// A median is made for each minute that has samples, of the minutes that have samples among the ten that end with it.
// In a window it counts when all ten lie in the window. The window's first ten minutes count once, together: were a
// median made of the first minute alone, every short spike would count as a peak for a minute when it is about to leave
// the window.
func (q *usageQuery) cpu() string {
	perReplica, perService := make([]string, 0, len(q.windows)), make([]string, 0, len(q.windows))

	for i, window := range q.windows {
		peak, length := fmt.Sprintf("peak_%d", i), minutes(window)
		perReplica = append(perReplica, fmt.Sprintf(
			"greatest(maxIf(median, age <= %d), ifNotFinite(quantileExactInclusiveIf(0.5)(mean, age >= %d AND age < %d), 0)) AS %s",
			length-smoothing, length-smoothing, length, peak))
		perService = append(perService, halfUp("max("+peak+") / 1e6"))
	}

	return fmt.Sprintf(`SELECT '%s', service, [%s], groupUniqArrayArray(buckets)
    FROM
    (
        SELECT
            service,
            groupUniqArray(intDiv(age, %d)) AS buckets,
            %s
        FROM
        (
            SELECT
                service, replica, age, mean,
                quantileExactInclusive(0.5)(mean) OVER (
                    PARTITION BY service, replica ORDER BY age RANGE BETWEEN CURRENT ROW AND %d FOLLOWING) AS median
            FROM
            (
                SELECT service, replica, %s - key AS age, total / samples AS mean
                FROM %s
                  AND %s
            )
        )
        GROUP BY service, replica
    )
    GROUP BY service`,
		partCPU, strings.Join(perService, ", "), bucket, strings.Join(perReplica, ",\n            "), smoothing-1, hourAge,
		q.from("ARRAY JOIN cpu_nanos.1 AS key, cpu_nanos.2 AS total, cpu_nanos.3 AS samples"), inside(q.longest()))
}

// resident reads the peak of the resident memory, and the median over the minutes of the largest replica's.
func (q *usageQuery) resident() string {
	numbers := make([]string, 0, len(q.windows))

	for _, window := range q.windows {
		numbers = append(numbers, fmt.Sprintf("toInt64(maxIf(bytes, %s)), %s", inside(window),
			halfUp(fmt.Sprintf("ifNotFinite(quantileExactInclusiveIf(0.5)(bytes, %s), 0)", inside(window)))))
	}

	return fmt.Sprintf(`SELECT '%s', service, [%s], groupUniqArray(intDiv(age, %d))
    FROM
    (
        SELECT service, %s - key AS age, max(replica_bytes) AS bytes
        FROM %s
          AND %s
        GROUP BY service, age
    )
    GROUP BY service`,
		partResident, strings.Join(numbers, ", "), bucket, hourAge,
		q.from("ARRAY JOIN resident_bytes.1 AS key, resident_bytes.2 AS replica_bytes"), inside(q.longest()))
}

// rest reads the time of the newest sample, the peak of the work's memory, and the events.
func (q *usageQuery) rest() string {
	numbers := append(make([]string, 0, 1+len(q.windows)),
		over(highest, "sampled_ages", "sampled_millis.2", "(this_minute - age) * 60000 + value", q.longest()))

	for _, window := range q.windows {
		numbers = append(numbers, strings.Join([]string{
			over(highest, "query_ages", "query_bytes.2", "value", window),
			over(total, "rejection_ages", "rejections.2", "value", window),
			over(total, "kill_ages", "oom_kill_bytes.2", "1", window),
			over(highest, "kill_ages", "oom_kill_bytes.2", "value", window),
		}, ", "))
	}

	return fmt.Sprintf(`SELECT '%s', service, [%s], emptyArrayInt64()
    FROM
    (
        SELECT
            service, query_bytes, rejections, oom_kill_bytes, sampled_millis, %s AS hour_age,
            arrayMap(key -> hour_age - key, query_bytes.1) AS query_ages,
            arrayMap(key -> hour_age - intDiv(key, 60000), rejections.1) AS rejection_ages,
            arrayMap(key -> hour_age - intDiv(key, 60000), oom_kill_bytes.1) AS kill_ages,
            arrayMap(key -> hour_age - key, sampled_millis.1) AS sampled_ages
        FROM %s
    )
    GROUP BY service`,
		partRest, strings.Join(numbers, ", "), hourAge, q.from(""))
}

// The aggregates of over.
const (
	highest = "max"
	total   = "sum"
)

// over aggregates what the entries of an array inside the window are worth.
func over(aggregate, ages, values, worth string, window time.Duration) string {
	return fmt.Sprintf("toInt64(%sArray(arrayMap((age, value) -> if(%s, toInt64(%s), 0), %s, %s)))",
		aggregate, inside(window), worth, ages, values)
}
