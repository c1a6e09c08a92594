package tidemarktest

import (
	"fmt"
	"slices"
	"strings"
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
	errExpired  = Error(codes.OutOfRange, tidemarkv1.ErrorReason_ERROR_REASON_RESUME_TOKEN_EXPIRED,
		"the resume token has expired")
)

// Disconnect ends all streams with UNAVAILABLE.
func (s *Server) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.disconnect()
}

func (s *Server) disconnect() {
	close(s.cut)
	s.cut = make(chan struct{})
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

// WatchRecommendations implements the API. It filters by service and tenant only, and coalesces nothing.
func (s *Server) WatchRecommendations(
	request *tidemarkv1.WatchRecommendationsRequest,
	stream grpc.ServerStreamingServer[tidemarkv1.WatchRecommendationsResponse],
) error {
	w := &watch{server: s, filter: request.GetFilter(), stream: stream}

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
	filter *tidemarkv1.RecommendationFilter
	stream grpc.ServerStreamingServer[tidemarkv1.WatchRecommendationsResponse]
	epoch  int
	cursor int64 // everything up to this revision has been sent
}

// begin returns the snapshot, or what was missed since the token, and the end mark.
func (w *watch) begin(
	request *tidemarkv1.WatchRecommendationsRequest,
) ([]*tidemarkv1.WatchRecommendationsResponse, chan struct{}, error) {
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
			if w.selects(r.GetService()) {
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
func (w *watch) wait(cut <-chan struct{}) ([]*tidemarkv1.WatchRecommendationsResponse, error) {
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
		case <-cut:
			return nil, errStopping
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
	s := w.server

	var events []*tidemarkv1.WatchRecommendationsResponse

	for _, c := range s.state.history {
		if c.revision <= w.cursor || !w.selects(c.service) {
			continue
		}

		if c.recommendation != nil {
			event := recommendationEvent(c.recommendation, token(c.revision, w.epoch))
			event.Renewed = c.renewed
			events = append(events, event)

			continue
		}

		events = append(events, &tidemarkv1.WatchRecommendationsResponse{
			Event: &tidemarkv1.WatchRecommendationsResponse_Removed{
				Removed: &tidemarkv1.RecommendationRemoved{Service: c.service, Revision: c.revision},
			},
			ResumeToken: token(c.revision, w.epoch),
		})
	}

	return events
}

func (w *watch) selects(service string) bool {
	return selects(w.filter, service)
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

// selects reports that the filter lets the service through, as far as its name is concerned.
func selects(filter *tidemarkv1.RecommendationFilter, service string) bool {
	tenant, _, _ := strings.Cut(service, "/")

	return (len(filter.GetServices()) == 0 || slices.Contains(filter.GetServices(), service)) &&
		(len(filter.GetTenants()) == 0 || slices.Contains(filter.GetTenants(), tenant))
}

func recommendationEvent(r *tidemarkv1.Recommendation, token string) *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event:       &tidemarkv1.WatchRecommendationsResponse_Recommendation{Recommendation: r},
		ResumeToken: token,
	}
}
