package watch

import "context"

// resume goes on after the token: first what has changed since, then the end of the snapshot.
func (s *stream) resume(ctx context.Context, token string) error {
	head, err := s.goOn(token)
	if err != nil {
		return err
	}

	s.complete = true
	count := int64(0)

	for s.cursor < head {
		entries, _, err := s.next()
		if err != nil {
			return err
		}

		for _, e := range entries {
			// The reader may hold an earlier value that matched.
			if s.filter.concerns(e.service) {
				s.show(e.service)
			}
		}

		sent, err := s.sendChanges(ctx, entries)
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
		return 0, TokenError{Why: err.Error()}
	}

	entries, head, err := s.hub.position(epoch, revision, s.filter.byValue())
	if err != nil {
		return 0, err
	}

	s.cursor = revision

	for _, e := range entries {
		if s.filter.matches(e) {
			s.show(e.service)
		}
	}

	return head, nil
}

// position checks a place in the order of changes and returns the head and, on request, the services there are: both at
// one moment.
func (h *Hub) position(epoch string, revision int64, snapshot bool) (entries []*entry, head int64, err error) {
	h.mu.RLock()
	defer h.mu.RUnlock()

	switch {
	case epoch != h.epoch:
		return nil, 0, TokenError{Why: "it is of another store, or of before its history was lost"}
	case revision > h.head:
		return nil, 0, TokenError{Why: "it is ahead of this server"}
	case snapshot:
		entries = h.index.snapshot()
	}

	return entries, h.head, nil
}
