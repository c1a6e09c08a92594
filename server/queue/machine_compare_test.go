package queue_test

import (
	"slices"

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
	}

	stats := m.queue.Stats()
	if stats.Depth != depth || stats.Stray != m.model.stray || stats.Jumped != m.model.jumped ||
		stats.GaveUp != m.model.gaveUp {
		t.Fatalf("stats %+v, want depth %+v and %+v", stats, depth, m.model)
	}

	if items := m.queue.Items(); len(items) != len(m.model.items) {
		t.Fatalf("%d items, want %d", len(items), len(m.model.items))
	}
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
		sameRecords(a.Triggers, b.Triggers)
}

func sameRecords(a, b []queue.Record) bool {
	return slices.EqualFunc(a, b, func(a, b queue.Record) bool {
		return a.Trigger == b.Trigger && a.Source == b.Source && a.Detail == b.Detail && a.Count == b.Count &&
			a.Observed.Equal(b.Observed) && a.Enqueued.Equal(b.Enqueued)
	})
}
