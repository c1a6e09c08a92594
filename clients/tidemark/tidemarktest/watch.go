package tidemarktest

import (
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const heartbeatInterval = 10 * time.Second

var (
	errStopping = Error(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_SHUTTING_DOWN, "the server is stopping")
	errAged     = Error(codes.Unavailable, tidemarkv1.ErrorReason_ERROR_REASON_STREAM_AGED, "the stream has lived long enough")
	errExpired  = Error(codes.OutOfRange, tidemarkv1.ErrorReason_ERROR_REASON_RESUME_TOKEN_EXPIRED,
		"the resume token has expired")
)

// ending ends the streams that began while it was the server's.
type ending struct {
	done chan struct{}
	err  error // why; set before done is closed
}

func newEnding() *ending { return &ending{done: make(chan struct{})} }

// Disconnect ends all streams as a server that stops does: with UNAVAILABLE and the reason SHUTTING_DOWN.
func (s *Server) Disconnect() { s.disconnect(errStopping) }

// Age ends all streams for their age, as the real server does from time to time: with UNAVAILABLE and the reason
// STREAM_AGED.
func (s *Server) Age() { s.disconnect(errAged) }

func (s *Server) disconnect(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.end(why)
}

// end ends all streams. The caller holds the lock.
func (s *Server) end(why error) {
	s.cut.err = why
	close(s.cut.done)
	s.cut = newEnding()
}

// BeforeSend sets a function that is called before every message of a watch; nil for none. An error ends the stream; a
// function that blocks makes it silent.
func (s *Server) BeforeSend(sending func(*tidemarkv1.WatchRecommendationsResponse) error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.sending = sending
}

// Watchers returns how many streams stand.
func (s *Server) Watchers() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.watchers
}

// WatchRecommendations implements the API. It coalesces nothing.
func (s *Server) WatchRecommendations(
	request *tidemarkv1.WatchRecommendationsRequest,
	stream grpc.ServerStreamingServer[tidemarkv1.WatchRecommendationsResponse],
) error {
	wanted, err := newFilter(request.GetFilter())
	if err != nil {
		return err
	}

	w := &watch{server: s, filter: wanted, stream: stream}

	s.count(1)
	defer s.count(-1)

	if err := s.fail("WatchRecommendations"); err != nil {
		return err
	}

	events, cut, err := w.begin(request)
	if err != nil {
		return err
	}

	for {
		for _, event := range events {
			if err := w.send(event); err != nil {
				return err
			}
		}

		events, err = w.wait(cut)
		if err != nil {
			return err
		}
	}
}

func (s *Server) count(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.watchers += by
}

// watch is one stream.
type watch struct {
	server *Server
	filter filter
	stream grpc.ServerStreamingServer[tidemarkv1.WatchRecommendationsResponse]
	epoch  int
	cursor int64 // everything up to this revision has been sent
}

// begin returns the snapshot, or what was missed since the token, and the end mark.
func (w *watch) begin(
	request *tidemarkv1.WatchRecommendationsRequest,
) ([]*tidemarkv1.WatchRecommendationsResponse, *ending, error) {
	s := w.server

	s.mu.Lock()
	defer s.mu.Unlock()

	w.epoch = s.state.epoch

	var events []*tidemarkv1.WatchRecommendationsResponse

	switch token := request.GetResumeToken(); {
	case token != "":
		epoch := 0

		_, err := fmt.Sscanf(token, "%d@%d", &w.cursor, &epoch)
		if err != nil || epoch != s.state.epoch || w.cursor < s.state.forgotten || w.cursor > s.state.revision {
			return nil, nil, errExpired
		}

		events = w.missed()
	case !request.GetChangesOnly():
		for _, r := range s.sorted() {
			if w.filter.selects(r) {
				events = append(events, recommendationEvent(r, ""))
			}
		}
	}

	w.cursor = s.state.revision

	return append(events, &tidemarkv1.WatchRecommendationsResponse{
		Event: &tidemarkv1.WatchRecommendationsResponse_EndOfSnapshot{
			EndOfSnapshot: &tidemarkv1.EndOfSnapshot{Revision: w.cursor, Count: int64(len(events))},
		},
		ResumeToken: token(w.cursor, w.epoch),
	}), s.cut, nil
}

// wait returns what comes next: changes, or a heartbeat when none come for long.
func (w *watch) wait(cut *ending) ([]*tidemarkv1.WatchRecommendationsResponse, error) {
	s := w.server

	heartbeat := time.NewTimer(heartbeatInterval)
	defer heartbeat.Stop()

	for {
		s.mu.Lock()
		if w.epoch != s.state.epoch {
			s.mu.Unlock()

			return nil, errStopping
		}

		if w.cursor < s.state.forgotten {
			s.mu.Unlock()

			return nil, errExpired
		}

		events, changed := w.missed(), s.changed
		w.cursor = s.state.revision
		s.mu.Unlock()

		if len(events) > 0 {
			return events, nil
		}

		select {
		case <-changed:
		case <-heartbeat.C:
			return []*tidemarkv1.WatchRecommendationsResponse{w.heartbeat()}, nil
		case <-cut.done:
			return nil, cut.err
		case <-w.stream.Context().Done():
			return nil, status.FromContextError(w.stream.Context().Err()).Err() //nolint:wrapcheck // it is the answer
		}
	}
}

func (w *watch) heartbeat() *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event: &tidemarkv1.WatchRecommendationsResponse_Heartbeat{
			Heartbeat: &tidemarkv1.Heartbeat{Revision: w.cursor, ServerTime: timestamppb.Now()},
		},
		ResumeToken: token(w.cursor, w.epoch),
	}
}

// missed returns the changes after the cursor. The caller holds the lock.
func (w *watch) missed() []*tidemarkv1.WatchRecommendationsResponse {
	var events []*tidemarkv1.WatchRecommendationsResponse

	for _, c := range w.server.state.history {
		if c.revision > w.cursor {
			events = append(events, w.events(c)...)
		}
	}

	return events
}

// events is what a change is to the reader, who has seen all before: a value that matches, the removal of one that did, or
// nothing.
func (w *watch) events(c change) []*tidemarkv1.WatchRecommendationsResponse {
	held := w.filter.selects(c.before)

	switch {
	case w.filter.selects(c.recommendation):
		event := recommendationEvent(c.recommendation, token(c.revision, w.epoch))
		event.Renewed = c.renewed && held

		return []*tidemarkv1.WatchRecommendationsResponse{event}
	case held, c.before == nil && c.recommendation == nil && w.filter.names(c.service):
		return []*tidemarkv1.WatchRecommendationsResponse{{
			Event: &tidemarkv1.WatchRecommendationsResponse_Removed{
				Removed: &tidemarkv1.RecommendationRemoved{Service: c.service, Revision: c.revision},
			},
			ResumeToken: token(c.revision, w.epoch),
		}}
	default:
		return nil
	}
}

func (w *watch) send(event *tidemarkv1.WatchRecommendationsResponse) error {
	w.server.mu.Lock()
	sending := w.server.sending
	w.server.mu.Unlock()

	if sending != nil {
		if err := sending(event); err != nil {
			return err
		}
	}

	return w.stream.Send(event) //nolint:wrapcheck // the transport's own
}

func recommendationEvent(r *tidemarkv1.Recommendation, token string) *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event:       &tidemarkv1.WatchRecommendationsResponse_Recommendation{Recommendation: r},
		ResumeToken: token,
	}
}
