package watch

import (
	"context"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

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

// listStep is how many services are looked at under one lock.
const listStep = 256

// List returns up to limit recommendations that match the filter, all when it is nil, in the order of keys, from the key
// after the given one; whether there are more; and the revision they show, though some may have been written since.
func (h *Hub) List(
	wanted *Filter, view tidemarkv1.View, after string, limit int,
) (page []*tidemarkv1.Recommendation, more bool, revision int64) {
	if wanted == nil {
		wanted = &Filter{}
	}

	step, revision := h.from(after)
	for ; len(step) > 0; step, _ = h.from(after) {
		// Not under the lock: a filter may be costly, and the hub is not to wait for it.
		for _, e := range step {
			switch {
			case !wanted.matches(e):
			case len(page) == limit:
				return page, true, revision
			default:
				page = append(page, e.view(view))
			}
		}

		after = step[len(step)-1].service
	}

	return page, false, revision
}

// from returns the next services after a key, none at the end, and the head.
func (h *Hub) from(after string) (step []*entry, head int64) {
	h.mu.RLock()
	defer h.mu.RUnlock()

	h.index.byService.AscendGreaterOrEqual(&entry{service: after}, func(e *entry) bool {
		if e.service != after {
			step = append(step, e)
		}

		return len(step) < listStep
	})

	return step, h.head
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
