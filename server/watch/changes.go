package watch

import "context"

// batch is how many changes a stream takes from the index under one lock. A slow reader's values are at most one batch
// old.
const batch = 256

// next returns the changes after the cursor and a channel that is closed when there are more. When there are none, the
// cursor moves to the head: nothing up to there is owed to the reader. The error is a TokenError, for a token that is too
// old as for a stream that has fallen behind.
func (s *stream) next() (entries []*entry, changed <-chan struct{}, err error) {
	s.hub.mu.RLock()
	defer s.hub.mu.RUnlock()

	if s.cursor < s.hub.index.forgotten {
		return nil, nil, TokenError{Why: "the removals since then are no longer all remembered"}
	}

	entries = s.hub.index.after(s.cursor, batch)
	if len(entries) == 0 {
		s.cursor = max(s.cursor, s.hub.head)
	}

	return entries, s.hub.changed, nil
}

// sendChanges tells the reader of the changes that concern them, moves the cursor over all, and returns how many
// recommendations it sent. Changes of one revision must come together: the cursor and the token move past a revision
// only with the last of them, so that a reader that loses the stream in between gets the others when it resumes.
func (s *stream) sendChanges(ctx context.Context, entries []*entry) (sent int64, err error) {
	for i, e := range entries {
		reached := s.cursor
		if i+1 == len(entries) || entries[i+1].revision > e.revision {
			reached = e.revision
		}

		matches := s.filter.matches(e)

		if err := s.sendChange(ctx, e, matches, reached); err != nil {
			return sent, err
		}

		s.cursor = reached

		if matches {
			sent++
		}
	}

	return sent, nil
}

// sendChange tells the reader of a change: a new value that matches, or that what the reader holds no longer does.
func (s *stream) sendChange(ctx context.Context, e *entry, matches bool, reached int64) error {
	if matches {
		s.show(e.service)

		return s.out.send(ctx, recommendationEvent(e.view(s.view), s.token(reached)))
	}

	if !s.holds(e.service) {
		return nil
	}

	delete(s.shown, e.service)

	return s.out.send(ctx, removedEvent(e, s.token(reached)))
}

// show notes that the reader holds the service.
func (s *stream) show(service string) {
	if s.filter.byValue() {
		s.shown[service] = struct{}{}
	}
}

// holds reports that the reader may hold the service.
func (s *stream) holds(service string) bool {
	if !s.filter.byValue() {
		return s.filter.concerns(service)
	}

	_, shown := s.shown[service]

	return shown
}
