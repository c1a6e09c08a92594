package watch

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// batch is how many changes a stream takes from the index under one lock.
const batch = 256

// Send hands one event to the transport. It may block; it is never called twice at once.
type Send func(*tidemarkv1.WatchRecommendationsResponse) error

// Stream sends the snapshot, or what has changed since the request's token, and then changes, until ctx ends or the
// reader has to start again: ErrStopping, ErrTooSlow, ErrTooManyWatchers, TokenError, or the error of send.
func (h *Hub) Stream(ctx context.Context, request *tidemarkv1.WatchRecommendationsRequest, send Send) error {
	if err := h.admit(); err != nil {
		return err
	}
	defer h.leave()

	s := &stream{
		hub:    h,
		filter: newFilter(request.GetFilter()),
		view:   request.GetView(),
		shown:  make(map[string]struct{}),
		out:    newOutbox(send, h.config.SendTimeout),
	}
	defer s.out.close()

	if err := s.begin(ctx, request); err != nil {
		return err
	}

	return s.follow(ctx)
}

// admit counts a stream in, or refuses it.
func (h *Hub) admit() error {
	select {
	case <-h.stopping:
		return ErrStopping
	default:
	}

	h.mu.Lock()
	defer h.mu.Unlock()

	if h.watchers >= h.config.MaxWatchers {
		return ErrTooManyWatchers
	}

	h.watchers++

	return nil
}

func (h *Hub) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.watchers--
}

// stream is one reader's place in the order of changes.
type stream struct {
	hub    *Hub
	filter filter
	view   tidemarkv1.View
	cursor int64               // everything up to this revision has been sent
	shown  map[string]struct{} // what the reader holds; kept only when a service may cease to match
	out    *outbox
}

// begin brings the reader from nothing, or from its token, to the end of the snapshot.
func (s *stream) begin(ctx context.Context, request *tidemarkv1.WatchRecommendationsRequest) error {
	if token := request.GetResumeToken(); token != "" {
		return s.resume(ctx, token)
	}

	s.hub.mu.RLock()
	s.cursor = s.hub.head

	var entries []*entry
	if !request.GetChangesOnly() {
		entries = s.hub.index.snapshot()
	}
	s.hub.mu.RUnlock()

	count := int64(0)

	for _, e := range entries {
		if !s.filter.matches(e) {
			continue
		}

		s.show(e.service)

		if err := s.out.send(ctx, recommendationEvent(e.view(s.view), "")); err != nil {
			return err
		}

		count++
	}

	return s.endSnapshot(ctx, count)
}

// resume goes on after the token: first what has changed since, then the end of the snapshot.
func (s *stream) resume(ctx context.Context, token string) error {
	revision, err := s.hub.position(token)
	if err != nil {
		return err
	}

	s.cursor = revision
	s.assumeShown()

	count := int64(0)

	for {
		entries, _ := s.next()
		if len(entries) == 0 {
			return s.endSnapshot(ctx, count)
		}

		for _, e := range entries {
			// The reader may hold an earlier value that matched.
			s.show(e.service)

			sent, err := s.sendChange(ctx, e)
			if err != nil {
				return err
			}

			if sent {
				count++
			}
		}
	}
}

// assumeShown notes, for a reader whose holdings are not known, that it holds everything that matches now. It is rather
// told of a removal that it does not need than left with a service that no longer matches.
func (s *stream) assumeShown() {
	if !s.filter.byValue() {
		return
	}

	s.hub.mu.RLock()
	entries := s.hub.index.snapshot()
	s.hub.mu.RUnlock()

	for _, e := range entries {
		if s.filter.matches(e) {
			s.show(e.service)
		}
	}
}

// position checks a token and returns its revision.
func (h *Hub) position(token string) (int64, error) {
	epoch, revision, err := decodeToken(token)
	if err != nil {
		return 0, TokenError{Why: err.Error()}
	}

	h.mu.RLock()
	defer h.mu.RUnlock()

	switch {
	case epoch != h.epoch:
		return 0, TokenError{Why: "it is of another store, or of before its history was lost"}
	case revision > h.head:
		return 0, TokenError{Why: "it is ahead of this server"}
	case revision < h.index.forgotten:
		return 0, TokenError{Why: "it is too old"}
	default:
		return revision, nil
	}
}

// follow sends changes and heartbeats until the stream has to end.
func (s *stream) follow(ctx context.Context) error {
	heartbeat := time.NewTimer(s.heartbeatDelay())
	defer heartbeat.Stop()

	for {
		entries, changed := s.next()

		for _, e := range entries {
			if _, err := s.sendChange(ctx, e); err != nil {
				return err
			}
		}

		// A full batch means that more waits; a reader that is behind still gets its heartbeats.
		if len(entries) == batch {
			changed = closed
		}

		select {
		case <-s.hub.stopping:
			// The last token; whether it still arrives does not matter.
			_ = s.sendHeartbeat(ctx)

			return ErrStopping
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-heartbeat.C:
			if err := s.sendHeartbeat(ctx); err != nil {
				return err
			}

			heartbeat.Reset(s.heartbeatDelay())
		case <-changed:
		}
	}
}

// closed is a channel that is always ready.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)

	return c
}()

// next returns the changes after the cursor and a channel that is closed when there are more. When there are none, the
// cursor moves to the head: nothing up to there is owed to the reader.
func (s *stream) next() ([]*entry, <-chan struct{}) {
	s.hub.mu.RLock()
	defer s.hub.mu.RUnlock()

	entries := s.hub.index.after(s.cursor, batch)
	if len(entries) == 0 {
		s.cursor = max(s.cursor, s.hub.head)
	}

	return entries, s.hub.changed
}

// sendChange moves the cursor over one change and tells the reader if it concerns them.
func (s *stream) sendChange(ctx context.Context, e *entry) (sent bool, err error) {
	s.cursor = e.revision

	if s.filter.matches(e) {
		s.show(e.service)

		return true, s.out.send(ctx, recommendationEvent(e.view(s.view), s.token()))
	}

	if !s.holds(e.service) {
		return false, nil
	}

	delete(s.shown, e.service)

	return true, s.out.send(ctx, &tidemarkv1.WatchRecommendationsResponse{
		Event: &tidemarkv1.WatchRecommendationsResponse_Removed{
			Removed: &tidemarkv1.RecommendationRemoved{Service: e.service, Revision: e.revision},
		},
		ResumeToken: s.token(),
	})
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

	return shown && s.filter.concerns(service)
}

func (s *stream) endSnapshot(ctx context.Context, count int64) error {
	return s.out.send(ctx, &tidemarkv1.WatchRecommendationsResponse{
		Event: &tidemarkv1.WatchRecommendationsResponse_EndOfSnapshot{
			EndOfSnapshot: &tidemarkv1.EndOfSnapshot{Revision: s.cursor, Count: count},
		},
		ResumeToken: s.token(),
	})
}

func (s *stream) sendHeartbeat(ctx context.Context) error {
	s.hub.mu.RLock()
	fresh := s.hub.fresh
	s.hub.mu.RUnlock()

	heartbeat := &tidemarkv1.Heartbeat{Revision: s.cursor, ServerTime: timestamppb.Now()}
	if !fresh.IsZero() {
		heartbeat.FreshTime = timestamppb.New(fresh)
	}

	return s.out.send(ctx, &tidemarkv1.WatchRecommendationsResponse{
		Event:       &tidemarkv1.WatchRecommendationsResponse_Heartbeat{Heartbeat: heartbeat},
		ResumeToken: s.token(),
	})
}

func (s *stream) token() string { return encodeToken(s.hub.epoch, s.cursor) }

// heartbeatDelay is the interval less up to a tenth, so that streams that began together do not stay in step.
func (s *stream) heartbeatDelay() time.Duration {
	const tenth = 10

	interval := s.hub.config.HeartbeatInterval

	return interval - rand.N(interval/tenth+1)
}

func recommendationEvent(r *tidemarkv1.Recommendation, token string) *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event:       &tidemarkv1.WatchRecommendationsResponse_Recommendation{Recommendation: r},
		ResumeToken: token,
	}
}
