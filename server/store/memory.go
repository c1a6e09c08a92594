package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// historyLimit is how many changes a Memory store can tell a watcher again before the watcher has to load afresh. The
// only watcher is in the same process and close behind; every change that is kept holds a whole record.
const historyLimit = 1 << 13

// Memory is a Store that forgets everything when the process ends; each one is an epoch of its own.
type Memory struct {
	epoch string

	mu       sync.Mutex // guards all below
	closed   bool
	revision int64
	records  map[string]Record
	work     map[string]*Work
	parked   []Parked
	deleted  tombstones
	labels   labelSets
	history  []Event       // the latest changes, in the order of revisions
	lost     int64         // the revision of the latest change that fell out of history
	changed  chan struct{} // closed and replaced at every change
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{
		epoch:   rand.Text(),
		records: make(map[string]Record),
		work:    make(map[string]*Work),
		deleted: newTombstones(),
		labels:  newLabelSets(labelSetsKept),
		changed: make(chan struct{}),
	}
}

// Epoch implements Store.
func (m *Memory) Epoch() string { return m.epoch }

// Accept implements Store.
func (m *Memory) Accept(ctx context.Context, work []Work) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("accept work: %w", context.Cause(ctx))
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return 0, ErrClosed
	}

	m.revision++

	for _, w := range work {
		w.Revision = m.revision

		if old := m.work[w.Service]; old != nil {
			*old = merge(*old, w)
		} else {
			m.work[w.Service] = &w
		}
	}

	return m.revision, nil
}

// Work implements Store.
func (m *Memory) Work(context.Context) ([]Work, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return nil, ErrClosed
	}

	work := make([]Work, 0, len(m.work))
	for _, w := range m.work {
		work = append(work, *w)
	}

	return work, nil
}

// Commit implements Store.
func (m *Memory) Commit(ctx context.Context, commit Commit) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, fmt.Errorf("commit: %w", context.Cause(ctx))
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return Record{}, ErrClosed
	}

	service := commit.Recommendation.GetService()

	old, known := m.records[service]
	if old.Revision != commit.Previous {
		return Record{}, ErrConflict
	}

	if !known && commit.Asked > 0 && m.deleted.after(service, commit.Asked) {
		return Record{}, ErrDeleted
	}

	commit.Recommendation.Labels = m.labels.share(old.Recommendation.GetLabels(), commit.Recommendation.GetLabels())

	m.revision++
	record := commit.record(old, known, m.revision)
	m.records[service] = record
	m.deleted.forget(service)

	m.cover(service, commit.WorkRevision)
	m.publish(Event{Revision: m.revision, Service: service, Record: record})

	return record, nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, service string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return Record{}, ErrClosed
	}

	record, known := m.records[service]
	if !known {
		return Record{}, ErrNotFound
	}

	return record, nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, service string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("delete: %w", context.Cause(ctx))
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return 0, ErrClosed
	}

	_, known := m.records[service]
	_, waiting := m.work[service]

	if !known && !waiting {
		return 0, ErrNotFound
	}

	m.revision++
	delete(m.records, service)
	delete(m.work, service)
	m.deleted.add(service, m.revision)

	m.publish(Event{Revision: m.revision, Service: service})

	return m.revision, nil
}

// Discard implements Store.
func (m *Memory) Discard(ctx context.Context, service string, upTo int64) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("discard work: %w", context.Cause(ctx))
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return ErrClosed
	}

	m.cover(service, upTo)

	return nil
}

// cover deletes a service's work accepted up to a revision. The caller holds the lock.
func (m *Memory) cover(service string, upTo int64) {
	if w, waiting := m.work[service]; waiting && w.Revision <= upTo {
		delete(m.work, service)
	}
}

// Load implements Store.
func (m *Memory) Load(context.Context) (Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return Snapshot{}, ErrClosed
	}

	return Snapshot{
		Revision: m.revision, Records: slices.Collect(maps.Values(m.records)),
		Deletions: m.deleted.all(), Forgotten: m.deleted.forgotten,
	}, nil
}

// Watch implements Store.
func (m *Memory) Watch(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			if ctx.Err() != nil {
				yield(Event{}, context.Cause(ctx))

				return
			}

			events, changed, err := m.since(after)
			if err != nil {
				yield(Event{}, err)

				return
			}

			for _, event := range events {
				if !yield(event, nil) {
					return
				}

				after = event.Revision
			}

			if len(events) > 0 {
				continue
			}

			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()

	if !m.closed {
		m.closed = true
		close(m.changed)
	}

	return nil
}

// publish tells watchers of a change. The caller holds the lock.
func (m *Memory) publish(event Event) {
	m.history = append(m.history, event)

	// Dropping half at once keeps the cost of a change constant on average.
	if len(m.history) > historyLimit {
		drop := len(m.history) / 2
		m.lost = m.history[drop-1].Revision
		m.history = slices.Clone(m.history[drop:])
	}

	close(m.changed)
	m.changed = make(chan struct{})
}

// since returns the changes after the revision, and a channel that is closed at the next one.
func (m *Memory) since(after int64) ([]Event, <-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.closed {
		return nil, nil, ErrClosed
	}

	if after < m.lost {
		return nil, nil, ErrCompacted
	}

	from, _ := slices.BinarySearchFunc(m.history, after+1, func(e Event, revision int64) int {
		return int(e.Revision - revision)
	})

	return slices.Clone(m.history[from:]), m.changed, nil
}
