package clickhouse

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// readUsage adds a snapshot of each service.
func (r *Reader) readUsage(
	ctx context.Context, services []string, windows []time.Duration, snapshots map[string]usage.Snapshot,
) error {
	query := usageQuery{
		names: r.config.Names, services: services, windows: windows, clock: r.clock, limits: r.config.limits(),
	}

	var serverTime time.Time

	err := r.query(ctx, query.String(), func(scan scanFunc) error {
		row := newUsageRow(windows)
		if err := scan(row.destinations()...); err != nil {
			return err
		}

		snapshot := row.snapshot()
		serverTime = snapshot.ReadTime

		// The row without a service is there for the clock.
		if snapshot.Service != "" {
			snapshots[snapshot.Service] = snapshot
		}

		return nil
	})
	if err != nil {
		return err
	}

	if serverTime.IsZero() {
		return errors.New("ClickHouse did not tell its time")
	}

	for _, service := range services {
		if _, known := snapshots[service]; !known {
			snapshots[service] = unknown(service, windows, serverTime)
		}
	}

	return nil
}

// unknown is the snapshot of a service without a single row.
func unknown(service string, windows []time.Duration, serverTime time.Time) usage.Snapshot {
	snapshot := usage.Snapshot{Service: service, ReadTime: serverTime, Windows: make([]usage.Window, len(windows))}
	for i, window := range windows {
		snapshot.Windows[i].Length = window
	}

	return snapshot
}

// usageRow is one row of a usageQuery.
type usageRow struct {
	service           string
	nowMillis, newest int64 // milliseconds since the epoch; newest is 0 when there is no sample
	covered           []uint64
	windows           []usage.Window
}

func newUsageRow(windows []time.Duration) *usageRow {
	row := &usageRow{covered: make([]uint64, len(windows)), windows: make([]usage.Window, len(windows))}
	for i, window := range windows {
		row.windows[i].Length = window
	}

	return row
}

// destinations are in the order of usageQuery.results.
func (r *usageRow) destinations() []any {
	destinations := append(make([]any, 0, 3+8*len(r.windows)), &r.service, &r.nowMillis, &r.newest)

	for i := range r.windows {
		w := &r.windows[i]
		destinations = append(destinations,
			&r.covered[i], &w.CPUPeakMillis, &w.QueryMemoryPeakBytes, &w.ResidentMemoryPeakBytes,
			&w.ResidentMemoryMedianBytes, &w.MemoryRejections, &w.OOMKills, &w.OOMKillResidentBytes)
	}

	return destinations
}

func (r *usageRow) snapshot() usage.Snapshot {
	snapshot := usage.Snapshot{
		Service:  r.service,
		Windows:  r.windows,
		ReadTime: time.UnixMilli(r.nowMillis).UTC(),
	}

	if r.newest > 0 {
		snapshot.NewestSample = time.UnixMilli(r.newest).UTC()
	}

	for i := range snapshot.Windows {
		w := &snapshot.Windows[i]
		w.Coverage = float64(r.covered[i]) / float64(minutes(w.Length)/bucket)
	}

	return snapshot
}
