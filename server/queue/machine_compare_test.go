package queue_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/server/queue"
)

// compare checks that the queue and the model look alike.
func (m *machine) compare(t *rapid.T) {
	if err := m.queue.Check(); err != nil {
		t.Fatal(err)
	}

	var depth queue.Depth

	for _, s := range machineServices {
		want, exists := m.model.item(s)
		got, ok := m.queue.Item(s)

		if ok != exists || !sameItem(got, want) {
			t.Fatalf("item %s:\n%+v, %v; want\n%+v, %v", s, got, ok, want, exists)
		}

		if exists {
			count(&depth, want.State)
		}

		m.compareLease(t, s)
	}

	m.compareStats(t, depth)
	m.comparePauses(t)
}

// compareLease checks that a running evaluation was revoked if its service was forgotten, and once.
func (m *machine) compareLease(t *rapid.T, service string) {
	lease := m.leases[service]
	if lease == none {
		return
	}

	want := 0
	if m.model.items[service].lease.forgotten {
		want = 1
	}

	if got := m.revoked[lease]; got != want || lease.Revoked() != (want == 1) {
		t.Fatalf("%s was revoked %d times (%v), want %d", service, got, lease.Revoked(), want)
	}
}

func (m *machine) compareStats(t *rapid.T, depth queue.Depth) {
	var oldest time.Duration

	for _, tenant := range []string{"a", "b", "c", "d", "nobody"} {
		want, wantAge := m.model.tenant(tenant)
		if got, age := m.queue.Tenant(tenant); got != want || age != wantAge {
			t.Fatalf("tenant %+v, %v; want %+v, %v", got, age, want, wantAge)
		}

		oldest = max(oldest, wantAge)
	}

	stats := m.queue.Stats()
	if stats.Depth != depth || stats.Stray != m.model.stray || stats.Jumped != m.model.jumped ||
		stats.GaveUp != m.model.gaveUp || stats.Unavailable != m.model.unavailable ||
		stats.Retried != m.model.retried || stats.Oldest != oldest {
		t.Fatalf("stats %+v, want depth %+v and %+v", stats, depth, m.model)
	}

	if items := m.queue.Items(); len(items) != len(m.model.items) {
		t.Fatalf("%d items, want %d", len(items), len(m.model.items))
	}
}

func (m *machine) comparePauses(t *rapid.T) {
	var want []queue.Pause

	for _, scope := range []queue.Scope{queue.Accepting, queue.Evaluating} {
		if m.model.paused(scope) {
			want = append(want, m.model.pauses[scope])
		}
	}

	if got := m.queue.Pauses(); !slices.EqualFunc(got, want, samePause) {
		t.Fatalf("pauses %+v, want %+v", got, want)
	}
}

func samePause(a, b queue.Pause) bool {
	return a.Scope == b.Scope && a.Author == b.Author && a.Reason == b.Reason && a.Since.Equal(b.Since) &&
		a.Until.Equal(b.Until)
}

func count(d *queue.Depth, s queue.State) {
	switch s {
	case queue.Waiting:
		d.Waiting++
	case queue.Running:
		d.Running++
	case queue.BackingOff:
		d.BackingOff++
	case queue.Failed:
		d.Failed++
	}
}

func sameItem(a, b queue.Item) bool {
	return a.Service == b.Service && a.State == b.State && a.Due.Equal(b.Due) && a.Enqueued.Equal(b.Enqueued) &&
		a.Started.Equal(b.Started) && a.Attempts == b.Attempts && a.Revision == b.Revision &&
		a.LastError == b.LastError && sameRecords(a.Triggers, b.Triggers)
}

func sameRecords(a, b []queue.Record) bool {
	return slices.EqualFunc(a, b, func(a, b queue.Record) bool {
		return a.Trigger == b.Trigger && a.Source == b.Source && a.Detail == b.Detail && a.Count == b.Count &&
			a.Observed.Equal(b.Observed) && a.Enqueued.Equal(b.Enqueued)
	})
}
