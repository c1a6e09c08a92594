package queue

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Stats is the queue in numbers. The counts of what happened never go down.
type Stats struct {
	// Stopped means that the queue is drained or closed: it takes nothing in and hands nothing out.
	Stopped bool
	// Depth is the number of items by state.
	Depth Depth
	// Triggers is the part of each trigger, as ordered by Triggers.
	Triggers []TriggerStats
	// Succeeded, Retried, Failed and Released count how evaluations ended. Retried has those that were given up too.
	Succeeded, Retried, Failed, Released uint64
	// Unavailable counts those that failed for want of a dependency.
	Unavailable uint64
	// GaveUp counts the items that became Failed because they failed too often.
	GaveUp uint64
	// Jumped counts the runs that did not wait for the end of a backoff, because a person asked.
	Jumped uint64
	// Stray counts completions of leases that were completed before.
	Stray uint64
	// TakenPerSecond and EndedPerSecond are the requests taken and the evaluations ended a second, over the last minute.
	TakenPerSecond, EndedPerSecond float64
	// Oldest is the age of the oldest item among those that are next for a worker, zero when none is ready.
	Oldest time.Duration
	// Unfinished is the time that the running evaluations have taken so far, Longest that of the longest.
	Unfinished, Longest time.Duration
}

// TriggerStats is the part of a queue that one trigger brought.
type TriggerStats struct {
	// Trigger is the trigger.
	Trigger Trigger
	// Ready is the number of items that it made due and that wait for a worker.
	Ready int
	// Queued, Merged, MovedUp, Deferred and Refused count requests by what became of them.
	Queued, Merged, MovedUp, Deferred, Refused uint64
	// TakenPerSecond are its requests taken a second, over the last minute.
	TakenPerSecond float64
	// StartedPerSecond are the evaluations begun a second that it was a reason for, over the last minute. One that had
	// failed before is not counted.
	StartedPerSecond float64
	// Wait is how long items waited for their first hand-out since the first request of this trigger.
	Wait Histogram
}

// Histogram counts durations by size.
type Histogram struct {
	// Bounds are the upper bounds of the buckets, in seconds.
	Bounds []float64
	// Counts has the number of durations up to each bound, those up to a lower one included.
	Counts []uint64
	// Count is the number of all durations and Sum their sum, in seconds.
	Count uint64
	Sum   float64
}

// TenantStats is the part of a queue that belongs to one tenant.
type TenantStats struct {
	// Tenant is the tenant's name.
	Tenant string
	// Depth is the number of its items by state.
	Depth Depth
}

// Tenant returns the part of one tenant, and the age of the oldest of its items that are next for a worker, as in Stats.
func (q *Queue) Tenant(name string) (TenantStats, time.Duration) {
	q.lock()
	defer q.unlock()

	t := q.tenants.byName[name]
	if t == nil {
		return TenantStats{Tenant: name}, 0
	}

	return TenantStats{Tenant: name, Depth: depthOf(t.depth)}, q.age(t.oldest())
}

// Stats returns the queue in numbers.
func (q *Queue) Stats() Stats {
	q.lock()
	defer q.unlock()

	at := q.clock.set(q.clock.read()) // which puts down no mark, so that the rates reach further back
	c := &q.stats
	stats := Stats{
		Stopped:     q.stopped,
		Depth:       depthOf(c.depth),
		Succeeded:   c.completed[succeeded],
		Retried:     c.completed[retried],
		Failed:      c.completed[failed],
		Released:    c.completed[released],
		Unavailable: c.completed[unavailable],
		GaveUp:      c.gaveUp,
		Jumped:      c.jumped,
		Stray:       c.stray,
	}

	happened, seconds := q.rates.since(c.mark(at)), windowAt(at)
	stats.TakenPerSecond = float64(happened.allTaken()) / seconds
	stats.EndedPerSecond = float64(happened.ended) / seconds

	stats.Oldest = q.age(q.storage.oldest())

	for r := q.runs.first; r != nil; r = r.next {
		running := time.Duration(at - r.started)
		stats.Unfinished += running
		stats.Longest = max(stats.Longest, running)
	}

	for _, trigger := range Triggers() {
		part := c.export(trigger, q.storage.classes[trigger].size)
		part.TakenPerSecond = float64(happened.taken[trigger]) / seconds
		part.StartedPerSecond = float64(happened.started[trigger]) / seconds
		stats.Triggers = append(stats.Triggers, part)
	}

	return stats
}

// age returns how long ago a request came; zero for never.
func (q *Queue) age(enqueued int64) time.Duration {
	if enqueued == never {
		return 0
	}

	return time.Duration(max(0, q.clock.day(q.now())-enqueued))
}

// Tenants returns the tenants that have items, those with the most first, and limit of them at most.
func (q *Queue) Tenants(limit int) []TenantStats {
	tenants := q.tenantStats()
	slices.SortFunc(tenants, func(a, b TenantStats) int {
		return cmp.Or(cmp.Compare(b.Depth.total(), a.Depth.total()), strings.Compare(a.Tenant, b.Tenant))
	})

	return tenants[:min(limit, len(tenants))]
}

func (q *Queue) tenantStats() []TenantStats {
	q.lock()
	defer q.unlock()

	tenants := make([]TenantStats, 0, len(q.tenants.byName)-q.tenants.idle)
	for name, t := range q.tenants.byName {
		if t.items > 0 {
			tenants = append(tenants, TenantStats{Tenant: name, Depth: depthOf(t.depth)})
		}
	}

	return tenants
}

func (d Depth) total() int {
	return d.Waiting + d.Running + d.BackingOff + d.Failed
}

func depthOf(counts [stateCount]int) Depth {
	return Depth{
		Waiting: counts[Waiting], Running: counts[Running], BackingOff: counts[BackingOff], Failed: counts[Failed],
	}
}
