package clickhouse

import (
	"context"
	"errors"
	"fmt"
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

	answer := newAnswer(services, windows)

	err := r.query(ctx, query.String(), func(scan scanFunc) error {
		var row usageRow
		if err := scan(&row.part, &row.service, &row.numbers, &row.buckets); err != nil {
			return err
		}

		return answer.take(row)
	})
	if err != nil {
		return err
	}

	return answer.finish(snapshots)
}

// usageRow is one row of a usageQuery.
type usageRow struct {
	part, service string
	numbers       []int64
	buckets       []int64 // how many whole buckets they lie back
}

// answer puts the rows of one usageQuery together.
type answer struct {
	nowMillis int64
	known     map[string]*known
}

// known is what the rows of one service have told so far.
type known struct {
	snapshot      usage.Snapshot
	cpu, resident map[int64]bool // buckets
}

func newAnswer(services []string, windows []time.Duration) *answer {
	a := &answer{known: make(map[string]*known, len(services))}

	for _, service := range services {
		k := &known{cpu: map[int64]bool{}, resident: map[int64]bool{}}
		k.snapshot = usage.Snapshot{Service: service, Windows: make([]usage.Window, len(windows))}

		for i, window := range windows {
			k.snapshot.Windows[i].Length = window
		}

		a.known[service] = k
	}

	return a
}

func (a *answer) take(row usageRow) error {
	if row.part == partClock && len(row.numbers) == 1 {
		a.nowMillis = row.numbers[0]

		return nil
	}

	service, asked := a.known[row.service]
	if !asked || !service.take(row) {
		return fmt.Errorf("unexpected row %+v", row)
	}

	return nil
}

// take puts the row's numbers where they belong. It reports whether the row is one of those that were asked for.
func (k *known) take(row usageRow) bool {
	var destinations []*int64

	for i := range k.snapshot.Windows {
		w := &k.snapshot.Windows[i]

		switch row.part {
		case partCPU:
			destinations = append(destinations, &w.CPUPeakMillis)
		case partResident:
			destinations = append(destinations, &w.ResidentMemoryPeakBytes, &w.ResidentMemoryMedianBytes)
		case partRest:
			destinations = append(destinations,
				&w.QueryMemoryPeakBytes, &w.MemoryRejections, &w.OOMKills, &w.OOMKillResidentBytes)
		}
	}

	var newest int64
	if row.part == partRest {
		destinations = append([]*int64{&newest}, destinations...)
	}

	if len(row.numbers) != len(destinations) {
		return false
	}

	for i, number := range row.numbers {
		*destinations[i] = number
	}

	if newest > 0 {
		k.snapshot.NewestSample = time.UnixMilli(newest).UTC()
	}

	k.cover(row)

	return true
}

func (k *known) cover(row usageRow) {
	covered := k.cpu
	if row.part == partResident {
		covered = k.resident
	}

	for _, back := range row.buckets {
		covered[back] = true
	}
}

// finish adds the snapshots, those of services without rows too.
func (a *answer) finish(snapshots map[string]usage.Snapshot) error {
	if a.nowMillis <= 0 {
		return errors.New("ClickHouse did not tell its time")
	}

	now := time.UnixMilli(a.nowMillis).UTC()

	for service, k := range a.known {
		k.snapshot.ReadTime = now

		if k.snapshot.NewestSample.After(now) {
			k.snapshot.NewestSample = now
		}

		for i := range k.snapshot.Windows {
			w := &k.snapshot.Windows[i]
			w.Coverage = k.coverage(w.Length)

			// A recommender takes 0 for not measured; what was measured as nothing is as good as nothing.
			if w.CPUPeakMillis == 0 && k.measuredCPU(w.Length) {
				w.CPUPeakMillis = 1
			}
		}

		snapshots[service] = k.snapshot
	}

	return nil
}

// measuredCPU reports that the window has a CPU sample.
func (k *known) measuredCPU(window time.Duration) bool {
	for back := range k.cpu {
		if back < minutes(window)/bucket {
			return true
		}
	}

	return false
}

// coverage is the share of the window's buckets in which CPU and resident memory are both known.
func (k *known) coverage(window time.Duration) float64 {
	all := minutes(window) / bucket
	covered := 0

	for back := range k.cpu {
		if k.resident[back] && back < all {
			covered++
		}
	}

	return float64(covered) / float64(all)
}
