package watch

import "context"

// resume goes on after the token: first what has changed since, then the end of the snapshot.
func (s *stream) resume(ctx context.Context, token string) error {
	head, err := s.goOn(token)
	s.hub.counts.resumed(err)

	if err != nil {
		return err
	}

	s.complete = true
	count := int64(0)

	for s.cursor < head {
		marks, _, err := s.next()
		if err != nil {
			return err
		}

		for _, m := range marks {
			// The reader may hold an earlier value that matched.
			if s.filter.concerns(m.entry.service) {
				s.show(m.entry)
			}
		}

		sent, err := s.sendChanges(ctx, marks)
		if err != nil {
			return err
		}

		count += sent
	}

	return s.out.send(ctx, s.endOfSnapshot(count))
}

// goOn puts the cursor where the token says and returns the head. What the reader holds is not known: it is assumed to
// be everything that matches now, so that a reader is rather told of a removal that it does not need than left with a
// service that no longer matches. What has changed since the token is for resume to assume.
func (s *stream) goOn(token string) (head int64, err error) {
	epoch, revision, err := decodeToken(token)
	if err != nil {
		return 0, TokenError{Why: err.Error(), result: resumeMalformed}
	}

	entries, head, err := s.position(epoch, revision)
	if err != nil {
		return 0, err
	}

	for _, e := range entries {
		if s.filter.matches(e) {
			s.show(e)
		}
	}

	return head, nil
}

// position checks a place in the order of changes, puts the cursor there, and returns the head and, for a filter by
// value, the services there are: all at one moment.
func (s *stream) position(epoch string, revision int64) (entries []*entry, head int64, err error) {
	h := s.hub

	h.mu.RLock()
	defer h.mu.RUnlock()

	switch {
	case epoch != h.epoch:
		return nil, 0, TokenError{
			Why: "it is of another store, or of before its history was lost", result: resumeForeign,
		}
	case revision > h.head:
		return nil, 0, TokenError{Why: "it is ahead of this server", result: resumeAhead}
	case revision < h.index.forgotten:
		return nil, 0, TokenError{Why: "the removals since then are no longer all remembered", result: resumeTooOld}
	case s.filter.byValue():
		entries = h.index.snapshot()
	}

	s.cursor = revision
	s.owed.Store(revision + 1) // whatever that is

	return entries, h.head, nil
}
