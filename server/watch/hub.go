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

	"github.com/tidemark-project/tidemark/server/store"
)

const (
	// tombstoneLimit is how many removals are remembered for readers that resume.
	tombstoneLimit = 1 << 16
	// retryPause keeps a hub whose store fails from spinning.
	retryPause = time.Second
)

// errWatchEnded says that the store ended a watch without saying why.
var errWatchEnded = errors.New("the store ended the watch")

// Hub holds the latest recommendation of every service and tells readers of changes.
type Hub struct {
	store  store.Store
	config Config
	logger *slog.Logger
	epoch  string

	mu       sync.RWMutex // guards all below
	loaded   bool
	index    *index
	head     int64         // revision up to which the store's changes are in the index
	fresh    time.Time     // when an evaluation last succeeded
	advanced chan struct{} // closed when head moves; nil while nobody waits for that
	readers  readers

	counts   counts
	stopOnce sync.Once
}

// New returns a hub that is empty until Load.
func New(st store.Store, config Config, logger *slog.Logger) *Hub {
	return &Hub{
		store:   st,
		config:  config,
		logger:  logger,
		epoch:   st.Epoch(),
		index:   newIndex(tombstoneLimit),
		readers: newReaders(),
	}
}

// Load brings the hub to the store's state. It comes before Run and before the first reader.
func (h *Hub) Load(ctx context.Context) error {
	snapshot, err := h.store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load recommendations from the store: %w", err)
	}

	h.mu.Lock()
	defer h.mu.Unlock()

	h.replace(snapshot)
	h.advance(snapshot.Revision)

	return nil
}

// replace makes the index show the snapshot. The caller holds the lock.
func (h *Hub) replace(snapshot store.Snapshot) {
	present := make(map[string]struct{}, len(snapshot.Records))

	for _, record := range snapshot.Records {
		service := record.Recommendation.GetService()
		present[service] = struct{}{}

		h.apply(store.Event{Revision: record.Revision, Service: service, Record: record})
	}

	// Readers of another hub on this store, of the one before a start for example, may go on here: they are owed removals
	// that this hub has not seen. A token from before the store's memory of deletions may miss some.
	for _, deleted := range snapshot.Deletions {
		if deleted.Revision > max(h.index.forgotten, snapshot.Forgotten) {
			h.apply(store.Event{Revision: deleted.Revision, Service: deleted.Service})
		}
	}

	if !h.loaded {
		h.index.forgotten, h.loaded = max(h.index.forgotten, snapshot.Forgotten), true
	}

	// After a gap in the history, what is no longer there was removed meanwhile, though the store may have forgotten when.
	for service, e := range h.index.services {
		if _, kept := present[service]; !kept && !e.removed() {
			h.apply(store.Event{Revision: snapshot.Revision, Service: service})
		}
	}
}

// Run follows the store until ctx ends or the store is closed.
func (h *Hub) Run(ctx context.Context) error {
	for {
		err := h.follow(ctx)
		if errors.Is(err, store.ErrCompacted) {
			h.logger.WarnContext(ctx, "the hub fell behind the store's history; loading afresh", "error", err)

			if err = h.Load(ctx); err == nil {
				continue
			}
		}

		if ctx.Err() != nil || errors.Is(err, store.ErrClosed) {
			return err
		}

		h.logger.WarnContext(ctx, "following the store was interrupted", "error", err, "retry_after", retryPause)

		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}

// follow applies the store's changes until they end, and returns why they did.
func (h *Hub) follow(ctx context.Context) error {
	h.mu.RLock()
	head := h.head
	h.mu.RUnlock()

	for event, err := range h.store.Watch(ctx, head) {
		if err != nil {
			return fmt.Errorf("watch the store after revision %d: %w", head, err)
		}

		h.mu.Lock()

		// Of a service that was never shown, or is not any more, nothing can be removed.
		if old := h.index.services[event.Service]; event.Record.Recommendation != nil || old != nil && !old.removed() {
			h.apply(event)
		}

		h.advance(event.Revision)
		h.mu.Unlock()
	}

	return errWatchEnded
}

// apply takes one change into the index and tells the readers whom it may concern. The caller holds the lock.
func (h *Hub) apply(event store.Event) {
	if evaluated := event.Record.Recommendation.GetEvaluateTime(); evaluated != nil && evaluated.AsTime().After(h.fresh) {
		h.fresh = evaluated.AsTime()
	}

	old := h.index.services[event.Service]
	now := successor(old, event, time.Now())
	h.index.put(now)

	switch seen := old.latest(); {
	case now.published > seen:
		h.counts.coalesced.Add(h.readers.tell(event.Service, now.published, seen))
	case now.renewed > seen:
		h.counts.renewals.Add(1)
		h.readers.tell(event.Service, now.renewed, 0)
	}
}

// advance moves the head. The caller holds the lock.
func (h *Hub) advance(revision int64) {
	h.head = max(h.head, revision)

	if h.advanced != nil {
		close(h.advanced)
		h.advanced = nil
	}
}

// Watchers returns the number of open streams.
func (h *Hub) Watchers() int {
	h.mu.RLock()
	defer h.mu.RUnlock()

	return len(h.readers.open)
}
