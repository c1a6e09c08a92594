// Package watch serves what the store committed: the latest recommendation of every service, to readers that ask once
// and to readers that follow. It holds a copy of the store's records, so reading never touches the store, and a slow
// reader never delays a writer.
package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

const (
	// tombstoneLimit is how many removals are remembered for readers that resume.
	tombstoneLimit = 1 << 16
	// reloadPause keeps a hub whose store fails from spinning.
	reloadPause = time.Second
)

// Hub holds the latest recommendation of every service and tells readers of changes.
type Hub struct {
	store  store.Store
	config Config
	logger *slog.Logger
	epoch  string

	mu       sync.RWMutex // guards all below
	index    *index
	head     int64         // revision up to which the store's changes are in the index
	fresh    time.Time     // when an evaluation last succeeded
	changed  chan struct{} // closed and replaced when a value changes
	advanced chan struct{} // closed when head moves; nil while nobody waits for that
	watchers int

	stopOnce sync.Once
	stopping chan struct{}
}

// New returns a hub that is empty until Load.
func New(st store.Store, config Config, logger *slog.Logger) *Hub {
	return &Hub{
		store:    st,
		config:   config,
		logger:   logger,
		epoch:    st.Epoch(),
		index:    newIndex(),
		changed:  make(chan struct{}),
		stopping: make(chan struct{}),
	}
}

// Load fills the hub from the store. It comes before Run and before the first reader.
func (h *Hub) Load(ctx context.Context) error {
	snapshot, err := h.store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load recommendations from the store: %w", err)
	}

	h.mu.Lock()
	defer h.mu.Unlock()

	present := make(map[string]struct{}, len(snapshot.Records))

	for _, record := range snapshot.Records {
		present[record.Recommendation.GetService()] = struct{}{}
		h.apply(store.Event{
			Revision: record.Recommendation.GetRevision(),
			Service:  record.Recommendation.GetService(),
			Record:   record,
		})
	}

	// After a gap in the history, what is no longer there was removed meanwhile.
	for service, e := range h.index.services {
		if _, kept := present[service]; !kept && !e.removed() {
			h.apply(store.Event{Revision: snapshot.Revision, Service: service})
		}
	}

	h.advance(snapshot.Revision)

	return nil
}

// Run follows the store until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	for {
		err := h.follow(ctx)
		if ctx.Err() != nil || errors.Is(err, store.ErrClosed) {
			return err
		}

		h.logger.WarnContext(ctx, "following the store was interrupted; loading afresh", "error", err)

		if !errors.Is(err, store.ErrCompacted) {
			select {
			case <-time.After(reloadPause):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}

		if err := h.Load(ctx); err != nil {
			h.logger.WarnContext(ctx, "loading afresh failed", "error", err)
		}
	}
}

// follow applies the store's changes until they end.
func (h *Hub) follow(ctx context.Context) error {
	h.mu.RLock()
	head := h.head
	h.mu.RUnlock()

	for event, err := range h.store.Watch(ctx, head) {
		if err != nil {
			return fmt.Errorf("watch the store after revision %d: %w", head, err)
		}

		h.mu.Lock()
		h.apply(event)
		h.advance(event.Revision)
		h.mu.Unlock()
	}

	return ctx.Err()
}

// apply takes one change into the index. The caller holds the lock.
func (h *Hub) apply(event store.Event) {
	recommendation := event.Record.Recommendation
	if recommendation == nil {
		h.index.put(&entry{service: event.Service, revision: event.Revision})
		h.wake()

		return
	}

	if evaluated := recommendation.GetEvaluateTime().AsTime(); recommendation.GetFailure() == nil && evaluated.After(h.fresh) {
		h.fresh = evaluated
	}

	old, known := h.index.services[event.Service]
	h.index.put(newEntry(recommendation))

	if !known || old.revision != recommendation.GetRevision() {
		h.wake()
	}
}

// wake tells the readers that a value has changed. The caller holds the lock.
func (h *Hub) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// advance moves the head. The caller holds the lock.
func (h *Hub) advance(revision int64) {
	h.head = max(h.head, revision)

	if h.advanced != nil {
		close(h.advanced)
		h.advanced = nil
	}
}

// Get returns the recommendation of a service, or ErrNotFound.
func (h *Hub) Get(service string, view tidemarkv1.View) (*tidemarkv1.Recommendation, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()

	e, known := h.index.services[service]
	if !known || e.removed() {
		return nil, NotFoundError{Service: service}
	}

	return e.view(view), nil
}

// List returns up to limit recommendations that match, in the order of keys, from the key after the given one; whether
// there are more; and the revision they show.
func (h *Hub) List(
	f *tidemarkv1.RecommendationFilter, view tidemarkv1.View, after string, limit int,
) (page []*tidemarkv1.Recommendation, more bool, revision int64) {
	wanted := newFilter(f)

	h.mu.RLock()
	defer h.mu.RUnlock()

	h.index.byService.AscendGreaterOrEqual(&entry{service: after}, func(e *entry) bool {
		if e.service == after || !wanted.matches(e) {
			return true
		}

		if len(page) == limit {
			more = true

			return false
		}

		page = append(page, e.view(view))

		return true
	})

	return page, more, h.head
}

// WaitFor returns when the hub shows the revision, or with an error when ctx ends first.
func (h *Hub) WaitFor(ctx context.Context, revision int64) error {
	for {
		h.mu.Lock()

		if h.head >= revision {
			h.mu.Unlock()

			return nil
		}

		if h.advanced == nil {
			h.advanced = make(chan struct{})
		}

		head, advanced := h.head, h.advanced
		h.mu.Unlock()

		select {
		case <-advanced:
		case <-ctx.Done():
			return RevisionNotReachedError{Wanted: revision, Head: head}
		}
	}
}

// Stop ends all streams with ErrStopping, and every later one at once. It does not wait for them.
func (h *Hub) Stop() {
	h.stopOnce.Do(func() { close(h.stopping) })
}

// Watchers returns the number of open streams.
func (h *Hub) Watchers() int {
	h.mu.RLock()
	defer h.mu.RUnlock()

	return h.watchers
}
