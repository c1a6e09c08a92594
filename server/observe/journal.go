// Package observe compares recommendations that are only looked at with the sizes that were in force, so that people see
// what would have come of them. It follows what the store commits and keeps a bounded history in memory.
package observe

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

// Memory is how far back the journal reaches.
const Memory = 7 * 24 * time.Hour

// retryPause keeps a journal whose store fails from spinning.
const retryPause = time.Second

// errWatchEnded says that the store ended a watch without saying why.
var errWatchEnded = errors.New("the store ended the watch")

// Journal remembers what was observed and what was in force.
type Journal struct {
	store  store.Store
	logger *slog.Logger

	mu     sync.Mutex // guards all below
	series map[string]*series
}

// New returns a journal that is empty until Run.
func New(st store.Store, logger *slog.Logger) *Journal {
	return &Journal{store: st, logger: logger, series: make(map[string]*series)}
}

// Run follows the store until ctx ends or the store is closed.
func (j *Journal) Run(ctx context.Context) error {
	for {
		err := j.follow(ctx)

		switch {
		case ctx.Err() != nil || errors.Is(err, store.ErrClosed):
			return err
		case errors.Is(err, store.ErrCompacted):
			continue // what was missed in between is missing from the reports, too
		}

		j.logger.WarnContext(ctx, "following the store for the observe report was interrupted", "error", err,
			"retry_after", retryPause)

		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}

// follow notes what the store holds and every change, until they end, and returns why they did.
func (j *Journal) follow(ctx context.Context) error {
	snapshot, err := j.store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load recommendations from the store: %w", err)
	}

	for _, record := range snapshot.Records {
		j.note(record.Recommendation)
	}

	for event, err := range j.store.Watch(ctx, snapshot.Revision) {
		if err != nil {
			return fmt.Errorf("watch the store after revision %d: %w", snapshot.Revision, err)
		}

		if event.Record.Recommendation == nil {
			j.forget(event.Service)
		} else {
			j.note(event.Record.Recommendation)
		}
	}

	return errWatchEnded
}

// note takes in the outcome of an evaluation. Other writes to a record say nothing new.
func (j *Journal) note(r *tidemarkv1.Recommendation) {
	if r.GetEvaluateTime() == nil {
		return
	}

	j.mu.Lock()
	defer j.mu.Unlock()

	known := j.series[r.GetService()]
	if known == nil {
		if !observed(r) {
			return
		}

		known = &series{}
		j.series[r.GetService()] = known
	}

	known.note(r)

	if known.empty() {
		delete(j.series, r.GetService())
	}
}

func (j *Journal) forget(service string) {
	j.mu.Lock()
	defer j.mu.Unlock()

	delete(j.series, service)
}

// observed reports that a recommendation, or a part of it, is only to be looked at.
func observed(r *tidemarkv1.Recommendation) bool {
	if r.GetAllocation() == nil || r.GetObserved() == nil {
		return false
	}

	return r.GetMode() == tidemarkv1.Mode_MODE_OBSERVE_ONLY || sizeOf(r.GetObserved()) != sizeOf(r.GetRecommended())
}
