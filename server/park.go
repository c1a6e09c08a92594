package server

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/server/api"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// parkTimeout is how long the store may take to write down what is left, once the grace may be over.
const parkTimeout = 5 * time.Second

// park hands what is left in the queue to the store. The work itself is there already; what is known of its failures is
// not.
func (s *Server) park(ctx context.Context, left []queue.Item) error {
	if len(left) > 0 {
		s.logger.WarnContext(ctx, "work is left; the store keeps it for the next start, unless it is in memory only", "items", len(left))
	}

	var parked []store.Parked

	for i := range left {
		if past := left[i].Past(); past.Attempts > 0 {
			parked = append(parked, store.Parked{
				Service: left[i].Service, Revision: left[i].Revision, Attempts: past.Attempts, LastError: past.LastError,
				GaveUp: past.GaveUp, RetryTime: past.Again,
			})
		}
	}

	ctx, cancel := context.WithTimeout(ctx, parkTimeout)
	defer cancel()

	if err := s.store.Park(ctx, parked); err != nil {
		return fmt.Errorf("park the failures of what is left: %w", err)
	}

	return nil
}

// unpark puts the work that the store holds back into the queue, together with what was known of its failures.
func (s *Server) unpark(ctx context.Context) error {
	work, err := s.store.Work(ctx)
	if err != nil {
		return fmt.Errorf("load accepted work from the store: %w", err)
	}

	parked, err := s.store.Parked(ctx)
	if err != nil {
		return fmt.Errorf("load parked failures from the store: %w", err)
	}

	pasts := make(map[string]store.Parked, len(parked))
	for _, p := range parked {
		pasts[p.Service] = p
	}

	for _, w := range work {
		wish := api.QueueRequest(w)
		if err := s.queue.Restore(&wish, past(pasts[w.Service], w)); err != nil {
			return fmt.Errorf("enqueue accepted work for %s: %w", w.Service, err)
		}
	}

	return nil
}

// past is what was known of the failures of work; nothing when it is newer.
func past(p store.Parked, w store.Work) queue.Past {
	if w.Revision > p.Revision {
		return queue.Past{}
	}

	return queue.Past{Attempts: p.Attempts, LastError: p.LastError, GaveUp: p.GaveUp, Again: p.RetryTime}
}
