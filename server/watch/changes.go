package watch

import "context"

// batch is how many changes a stream takes from the index under one lock. A slow reader's values are at most one batch
// old.
const batch = 256

// next returns the changes after the cursor that may concern the reader, and whether there are more. When there are none,
// the cursor moves to the head: nothing up to there is owed to the reader. The error is a TokenError, for a token that is
// too old as for a stream that has fallen behind.
func (s *stream) next() (marks []mark, more bool, err error) {
	s.hub.mu.RLock()
	defer s.hub.mu.RUnlock()

	owed := s.owed.Swap(0)
	if owed == 0 {
		s.cursor = max(s.cursor, s.hub.head)
		s.progress.rest()

		return nil, false, nil
	}

	s.cursor = max(s.cursor, owed-1)

	if s.cursor < s.hub.index.forgotten {
		return nil, false, TokenError{Why: "the removals since then are no longer all remembered", result: resumeTooOld}
	}

	marks = s.hub.index.after(s.cursor, batch)

	if more = len(marks) >= batch; more {
		s.owed.Store(marks[len(marks)-1].order + 1)
	}

	return marks, more, nil
}

// settle moves the cursor to the head if nothing up to there is owed. All that was taken must have been sent.
func (s *stream) settle() {
	s.hub.mu.RLock()
	defer s.hub.mu.RUnlock()

	if s.owed.Load() == 0 {
		s.cursor = max(s.cursor, s.hub.head)
	}
}

// sendChanges tells the reader of the changes that concern them, moves the cursor over all, and returns how many
// recommendations it sent. Changes of one revision must come together: the cursor and the token move past a revision
// only with the last of them, so that a reader that loses the stream in between gets the others when it resumes.
func (s *stream) sendChanges(ctx context.Context, marks []mark) (sent int64, err error) {
	for i, m := range marks {
		reached := s.cursor
		if i+1 == len(marks) || marks[i+1].order > m.order {
			reached = m.order
		}

		matches := s.filter.matches(m.entry)

		s.progress.at(m.order, m.entry.noticed)

		if err := s.sendChange(ctx, m, matches, reached); err != nil {
			return sent, err
		}

		s.cursor = reached

		if matches {
			sent++
		}
	}

	return sent, nil
}

// sendChange tells the reader of a change: a value that matches, or that what the reader holds no longer does.
func (s *stream) sendChange(ctx context.Context, m mark, matches bool, reached int64) error {
	e := m.entry

	if matches {
		s.show(e)

		return s.out.send(ctx, recommendationEvent(e.view(s.view), s.token(reached), m.renewal()))
	}

	if !s.holds(e) {
		return nil
	}

	s.shown.remove(e.number)

	return s.out.send(ctx, removedEvent(e, s.token(reached)))
}

// show notes that the reader holds the service.
func (s *stream) show(e *entry) {
	if s.filter.byValue() {
		s.shown.add(e.number)
	}
}

// holds reports that the reader may hold the service.
func (s *stream) holds(e *entry) bool {
	if !s.filter.byValue() {
		return s.filter.concerns(e.service)
	}

	return s.shown.has(e.number)
}
