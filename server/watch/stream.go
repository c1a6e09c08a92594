package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Send hands one event to the transport. It may block; it is never called twice at once. It may still be blocked when
// Stream has returned: the transport must end it then.
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
		out:    newOutbox(send, h.config.SendTimeout, h.stopping),
	}

	err := s.run(ctx, request)

	var last *tidemarkv1.WatchRecommendationsResponse
	if s.complete && errors.Is(err, ErrStopping) {
		last = s.heartbeat()
	}

	s.out.close(last)

	return err
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
	hub      *Hub
	filter   filter
	view     tidemarkv1.View
	cursor   int64               // everything up to this revision has been sent
	complete bool                // so it has: no snapshot is half sent
	shown    map[string]struct{} // what the reader holds; kept only when a service may cease to match
	out      *outbox
}

func (s *stream) run(ctx context.Context, request *tidemarkv1.WatchRecommendationsRequest) error {
	var err error
	if token := request.GetResumeToken(); token != "" {
		err = s.resume(ctx, token)
	} else {
		err = s.begin(ctx, request.GetChangesOnly())
	}

	if err != nil {
		return err
	}

	return s.follow(ctx)
}

// begin brings the reader from nothing to the end of the snapshot.
func (s *stream) begin(ctx context.Context, changesOnly bool) error {
	var entries []*entry

	s.hub.mu.RLock()
	s.cursor = s.hub.head

	if !changesOnly {
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

	s.complete = true

	return s.out.send(ctx, s.endOfSnapshot(count))
}

// follow sends changes and heartbeats until the stream has to end.
func (s *stream) follow(ctx context.Context) error {
	heartbeat := time.NewTimer(s.heartbeatDelay())
	defer heartbeat.Stop()

	for {
		entries, changed, err := s.next()
		if err != nil {
			return err
		}

		if _, err := s.sendChanges(ctx, entries); err != nil {
			return err
		}

		// A full batch means that more waits; a reader that is behind still gets its heartbeats.
		if len(entries) >= batch {
			changed = closed
		}

		select {
		case <-s.hub.stopping:
			return ErrStopping
		case <-ctx.Done():
			return fmt.Errorf("watch: %w", context.Cause(ctx))
		case <-heartbeat.C:
			if err := s.out.send(ctx, s.heartbeat()); err != nil {
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

// heartbeatDelay is the interval less up to a tenth, so that streams that began together do not stay in step.
func (s *stream) heartbeatDelay() time.Duration {
	const tenth = 10

	interval := s.hub.config.HeartbeatInterval

	return interval - rand.N(interval/tenth+1)
}
