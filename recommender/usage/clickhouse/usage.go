package clickhouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/recommender/usage/clickhouse/history"
)

// readUsage adds a snapshot of each service.
func (r *Reader) readUsage(
	ctx context.Context, services []string, plan *history.Plan, snapshots map[string]usage.Snapshot,
) error {
	a := newAnswer(services, plan)

	if reach := plan.Reach(); reach > 0 {
		query := usageQuery{
			names: r.config.Names, services: services, windows: plan.Windows(), reach: reach, clock: r.clock,
			limits: r.config.limits(),
		}

		if err := r.query(ctx, query.String(), a.take); err != nil {
			return err
		}
	}

	// Without a row, nothing has told the time yet.
	if a.nowMillis == 0 {
		if err := r.query(ctx, "SELECT toInt64("+r.clock+")", func(scan scanFunc) error { return scan(&a.nowMillis) }); err != nil {
			return err
		}
	}

	if a.nowMillis <= 0 {
		return errors.New("ClickHouse did not tell its time")
	}

	for service, known := range a.histories {
		if known == nil {
			known = plan.New(a.nowMillis)
		}

		snapshots[service] = known.Snapshot(service)
	}

	return nil
}

// answer puts the rows of a usageQuery together.
type answer struct {
	plan      *history.Plan
	nowMillis int64
	histories map[string]*history.History // nil for a service that has no row yet
	text      mapText
}

func newAnswer(services []string, plan *history.Plan) *answer {
	a := &answer{plan: plan, histories: make(map[string]*history.History, len(services))}
	for _, service := range services {
		a.histories[service] = nil
	}

	return a
}

// usageRow is one row of a usageQuery.
type usageRow struct {
	service, replica                                   string
	nowMillis, start                                   int64
	cpu, resident, query, rejections, oomKill, sampled string
}

// take reads the present row.
func (a *answer) take(scan scanFunc) error {
	var row usageRow

	err := scan(&row.service, &row.replica, &row.nowMillis, &row.start,
		&row.cpu, &row.resident, &row.query, &row.rejections, &row.oomKill, &row.sampled)
	if err != nil {
		return err
	}

	known, asked := a.histories[row.service]
	if !asked {
		return fmt.Errorf("a row of %q, which was not asked for", row.service)
	}

	if known == nil {
		known = a.plan.New(row.nowMillis)
		a.nowMillis = row.nowMillis
		a.histories[row.service] = known
	}

	if err := a.add(&row, known); err != nil {
		return usage.QueryError{Err: err, Divisible: true, Permanent: true} // it stays as it is for as long as the window is
	}

	return nil
}

// The limits of the keys of a row's maps: minutes and milliseconds of an hour.
const millisOfHour = minutesOfHour * 60_000

func (a *answer) add(row *usageRow, known *history.History) error {
	hour := known.Hour(row.replica, row.start)

	if err := a.text.decode(row.cpu, maxColumns, minutesOfHour); err != nil {
		return fmt.Errorf("cpu_nanos of %s: %w", row.service, err)
	}

	for i, minute := range a.text.columns[0] {
		hour.CPU(minute, a.text.columns[1][i], a.text.columns[2][i])
	}

	return errors.Join(
		a.pairs(row, "resident_bytes", row.resident, minutesOfHour, hour.Resident),
		a.pairs(row, "query_bytes", row.query, minutesOfHour, hour.Query),
		a.pairs(row, "rejections", row.rejections, millisOfHour, hour.Rejections),
		a.pairs(row, "oom_kill_bytes", row.oomKill, millisOfHour, hour.Kill),
		a.pairs(row, "sampled_millis", row.sampled, minutesOfHour, hour.Sampled),
	)
}

// pairs decodes one map and hands each of its entries on.
func (a *answer) pairs(row *usageRow, column, text string, keys int64, add func(key, value int64)) error {
	if err := a.text.decode(text, 2, keys); err != nil {
		return fmt.Errorf("%s of %s: %w", column, row.service, err)
	}

	for i, key := range a.text.columns[0] {
		add(key, a.text.columns[1][i])
	}

	return nil
}
