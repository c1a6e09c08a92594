package queue

import (
	"cmp"
	"slices"
	"time"
)

// Item is one service as it stands in the queue.
type Item struct {
	// Service is the service's key.
	Service string
	// State is where it stands.
	State State
	// Triggers is why it is there; for a running item also what came while it ran.
	Triggers []Record
	// Due is its deadline, or the end of its delay. A Failed item has one only while a probe is planned.
	Due time.Time
	// Enqueued is when its first request came.
	Enqueued time.Time
	// Started is when its evaluation began; zero when it does not run.
	Started time.Time
	// Attempts is the number of failures in a row.
	Attempts int
	// LastError is the latest of them.
	LastError string
	// Revision is the highest revision of its requests.
	Revision int64
}

// Depth counts items by state.
type Depth struct {
	Waiting, Running, BackingOff, Failed int
}

// Item returns one service's item, and false when it has none.
func (q *Queue) Item(service string) (Item, bool) {
	q.lock()
	defer q.unlock()

	it := q.find(service)
	if it == nil {
		return Item{}, false
	}

	return q.export(it), true
}

// Items returns all items, the ones due earliest first, the ones without a due time last. Each is shown as it stood at
// some moment during the call.
func (q *Queue) Items() []Item {
	items := q.snapshot()
	slices.SortFunc(items, byDue)

	return items
}

// byDue orders items by due time; those that have none come last.
func byDue(a, b Item) int {
	if a.Due.IsZero() != b.Due.IsZero() {
		return b.Due.Compare(a.Due)
	}

	return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Service, b.Service))
}

// Depth returns the number of items in each state.
func (q *Queue) Depth() Depth {
	q.lock()
	defer q.unlock()

	return depthOf(q.stats.depth)
}

func (q *Queue) find(service string) *item {
	return q.items.find(service, q.items.hash(service))
}

// snapshot reads one shard of the index after the other, so that it holds nobody up for long.
func (q *Queue) snapshot() []Item {
	var items []Item
	for shard := range q.items.shards {
		items = q.exportShard(shard, items)
	}

	return items
}

func (q *Queue) exportShard(shard int, to []Item) []Item {
	q.lock()
	defer q.unlock()

	for it := range q.items.shard(shard) {
		to = append(to, q.export(it))
	}

	return to
}

func (q *Queue) export(it *item) Item {
	item := Item{Service: it.service, State: it.state, Attempts: it.attempts(), Revision: it.revision}

	if it.running() {
		r := q.runs.of(it)
		item.Triggers = r.triggers.export(nil)
		item.Started = q.clock.time(r.started)
		item.Revision = max(it.revision, r.revision)
	}

	if it.history != nil {
		item.LastError = it.history.lastError
	}

	if due := q.shownDue(it); due != never {
		item.Due = q.clock.time(due)
	}

	item.Triggers = it.wanted.export(item.Triggers)
	for _, r := range item.Triggers {
		if item.Enqueued.IsZero() || r.Enqueued.Before(item.Enqueued) {
			item.Enqueued = r.Enqueued
		}
	}

	return item
}
