package queue_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// refusal returns why a request is refused and for how long, if it is.
func (m *model) refusal(r queue.Request) (retryAfter time.Duration, reason error) {
	switch {
	case m.paused(queue.Accepting):
		wait := m.cfg.RetryAfter
		if until := m.pauses[queue.Accepting].Until; !until.IsZero() {
			wait = max(wait, time.Until(until))
		}

		return wait, queue.ErrPaused
	case m.items[r.Service] == nil && m.full(r.Trigger):
		return m.cfg.RetryAfter, queue.ErrFull
	default:
		return 0, nil
	}
}

// retryNow returns what RetryNow must.
func (m *model) retryNow(service string) (queue.Item, bool) {
	it := m.items[service]
	if it == nil {
		return queue.Item{}, false
	}

	if it.lease == nil {
		if it.held() {
			m.jumped++
		}

		due := it.deadline
		if !it.until.IsZero() {
			due = it.until
		}

		class := it.class
		if due.After(time.Now()) {
			due, class = time.Now(), queue.Manual
		}

		if it.ready {
			m.unready(service)
		}

		it.attempts = 0
		m.setReady(service, due, class)
	}

	return m.item(service)
}

// restore does what Restore does: also when the queue is full, or takes nothing else in.
func (m *model) restore(r queue.Request, past queue.Past) {
	m.enqueue(r)

	it := m.items[r.Service]
	if past.Attempts == 0 || !it.ready {
		return
	}

	m.unready(r.Service)

	it.attempts, it.lastError = past.Attempts, past.LastError

	if past.GaveUp {
		it.state, it.probe, it.until = queue.Failed, past.Again, past.Again
	} else {
		it.state, it.until = queue.BackingOff, past.Again
	}
}

// list returns all that List must, in order.
func (m *model) list(filter queue.Filter) []queue.Item {
	var items []queue.Item

	for service := range m.items {
		it, _ := m.item(service)

		if (filter.Tenant == "" || filter.Tenant == tenantOf(service)) &&
			(len(filter.States) == 0 || slices.Contains(filter.States, it.State)) {
			items = append(items, it)
		}
	}

	slices.SortFunc(items, func(a, b queue.Item) int {
		if a.Due.IsZero() != b.Due.IsZero() {
			return b.Due.Compare(a.Due)
		}

		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Service, b.Service))
	})

	return items
}

// tenant returns what Tenant must.
func (m *model) tenant(name string) (queue.TenantStats, time.Duration) {
	stats := queue.TenantStats{Tenant: name}
	for _, it := range m.list(queue.Filter{Tenant: name}) {
		count(&stats.Depth, it.State)
	}

	var oldest time.Duration

	for _, class := range queue.Triggers() {
		candidates := m.candidates(class, name)
		if len(candidates) == 0 {
			continue
		}

		first := slices.MinFunc(candidates, func(a, b string) int {
			return m.items[a].deadline.Compare(m.items[b].deadline)
		})
		it, _ := m.item(first)
		oldest = max(oldest, time.Since(it.Enqueued))
	}

	return stats, oldest
}
