package cron

import (
	"cmp"
	"slices"
	"time"
)

// entry is one service and its slot.
type entry struct {
	service string
	slot    time.Duration
}

// timetable says when which service is due.
type timetable struct {
	period  time.Duration
	entries []entry
}

// run is one service that is due, and when it became so.
type run struct {
	service string
	slot    time.Time
}

func newTimetable(period time.Duration, services []string) *timetable {
	t := &timetable{period: period, entries: make([]entry, len(services))}
	for i, service := range services {
		t.entries[i] = entry{service, Slot(service, period)}
	}

	return t
}

// between returns the latest slot of each service that has one after last and not after now, ordered by time, and how many
// earlier slots lie in that span besides.
func (t *timetable) between(last, now time.Time) (runs []run, skipped int64) {
	from, to, period := last.UnixNano(), now.UnixNano(), int64(t.period)

	for _, e := range t.entries {
		// The remainder is that of a floor division, also before 1970, where a clock may stand at boot.
		since := ((to-int64(e.slot))%period + period) % period
		latest := to - since

		if latest <= from {
			continue
		}

		runs = append(runs, run{e.service, time.Unix(0, latest)})
		skipped += (latest - from - 1) / period
	}

	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(a.slot.Compare(b.slot), cmp.Compare(a.service, b.service))
	})

	return runs, skipped
}

// all returns every service, as due now.
func (t *timetable) all(now time.Time) []run {
	runs := make([]run, len(t.entries))
	for i, e := range t.entries {
		runs[i] = run{e.service, now}
	}

	return runs
}
