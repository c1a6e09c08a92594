package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Send hands one event to the transport. It may block; it is never called twice at once. It may still be blocked when
// Stream has returned: the transport must end it then.
type Send func(*tidemarkv1.WatchRecommendationsResponse) error

// Stream sends the snapshot, or what has changed since the request's token, and then changes, until ctx ends or the
// reader has to start again: ErrStopping, ErrAged, ErrTooSlow, ErrTooManyWatchers, TokenError, FilterError, or the error of
// send.
func (h *Hub) Stream(ctx context.Context, request *tidemarkv1.WatchRecommendationsRequest, send Send) error {
	wanted, err := ParseFilter(request.GetFilter())
	if err != nil {
		return err
	}

	s := newStream(h, clientOf(ctx), wanted, request.GetView())

	if err := h.admit(s); err != nil {
		h.counts.ended(err)

		return err
	}
	defer h.leave(s)

	s.out = newOutbox(send, h.config.SendTimeout, s.end)
	err = s.run(ctx, request)

	var last *tidemarkv1.WatchRecommendationsResponse
	if s.complete && (errors.Is(err, ErrStopping) || errors.Is(err, ErrAged)) {
		last = s.heartbeat()
	}

	s.out.close(last)
	h.counts.ended(err)

	return err
}

// stream is one reader's place in the order of changes.
type stream struct {
	hub      *Hub
	client   string
	filter   *Filter
	view     tidemarkv1.View
	cursor   int64     // everything up to this revision has been sent
	complete bool      // so it has: no snapshot is half sent
	shown    numberSet // what the reader holds; kept only when a service may cease to match
	out      *outbox
	progress progress

	// owed is the revision of the first change that may concern the reader and was not taken from the index yet; 0 when
	// there is none. It is raised under the hub's lock, together with the change, so that none is ever missed; wake only
	// says that it is worth a look.
	owed atomic.Int64
	wake chan struct{}
	end  chan struct{} // closed when the stream has to end
}

func newStream(h *Hub, client string, wanted *Filter, view tidemarkv1.View) *stream {
	s := &stream{
		hub:    h,
		client: client,
		filter: wanted,
		view:   view,
		wake:   make(chan struct{}, 1),
		end:    make(chan struct{}),
	}

	if s.filter.byValue() {
		s.shown = make(numberSet)
	}

	return s
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
	s.owed.Store(0) // what came since the stream was let in is in the snapshot

	if !changesOnly || s.filter.byValue() {
		entries = s.hub.index.snapshot()
	}
	s.hub.mu.RUnlock()

	s.progress.at(s.cursor+1, time.Now())

	count, bytes := int64(0), int64(0)
	defer func() { s.hub.counts.snapshot(bytes) }()

	for _, e := range entries {
		if !s.filter.matches(e) {
			continue
		}

		s.show(e)

		// Who wants changes only knows the rest from elsewhere, and is owed the removal of what ceases to match.
		if changesOnly {
			continue
		}

		if err := s.out.send(ctx, recommendationEvent(e.view(s.view), "", false)); err != nil {
			return err
		}

		count++
		bytes += e.size(s.view)
	}

	s.complete = true

	return s.out.send(ctx, s.endOfSnapshot(count))
}

// follow sends changes and heartbeats until the stream has to end.
func (s *stream) follow(ctx context.Context) error {
	heartbeat := time.NewTimer(s.heartbeatDelay())
	defer heartbeat.Stop()

	aged, stop := s.hub.aging()
	defer stop()

	for due := false; ; {
		marks, more, err := s.next()
		if err != nil {
			return err
		}

		if _, err := s.sendChanges(ctx, marks); err != nil {
			return err
		}

		if due {
			if err := s.out.send(ctx, s.heartbeat()); err != nil {
				return err
			}

			heartbeat.Reset(s.heartbeatDelay())
		}

		// A reader that is behind does not wait, and still gets its heartbeats.
		wake := s.wake
		if more {
			wake = closed
		} else {
			s.progress.rest()
		}

		due = false

		select {
		case <-s.end:
			s.settle()

			return newStoppingError()
		case <-ctx.Done():
			return fmt.Errorf("watch: %w", context.Cause(ctx))
		case <-aged:
			s.settle()

			return ErrAged
		case <-heartbeat.C:
			due = true
		case <-wake:
		}
	}
}

// closed is a channel that is always ready.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)

	return c
}()

// aging returns what is ready when a stream that begins now has to end for its age, and what stops that.
func (h *Hub) aging() (aged <-chan time.Time, stop func()) {
	const quarter = 4

	least := h.config.MaxAge
	if least <= 0 {
		return nil, func() {}
	}

	timer := time.NewTimer(least + rand.N(least/quarter+1))

	return timer.C, func() { timer.Stop() }
}

// heartbeatDelay is the interval less up to a tenth, so that streams that began together do not stay in step.
func (s *stream) heartbeatDelay() time.Duration {
	const tenth = 10

	interval := s.hub.config.HeartbeatInterval

	return interval - rand.N(interval/tenth+1)
}
