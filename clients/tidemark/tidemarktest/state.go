package tidemarktest

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// change is one entry of the history; without a recommendation it is a removal.
type change struct {
	revision       int64
	service        string
	recommendation *tidemarkv1.Recommendation
}

// state is what the server knows.
type state struct {
	epoch           int
	revision        int64
	forgotten       int64 // changes up to this revision are no longer in the history
	history         []change
	recommendations map[string]*tidemarkv1.Recommendation
	services        []*tidemarkv1.Service
	enqueued        []*tidemarkv1.EnqueueRequest
	refuse          func(*tidemarkv1.EnqueueRequest) error
	queue           queueState
}

func newState() state {
	return state{recommendations: make(map[string]*tidemarkv1.Recommendation)}
}

// Put stores a copy of the recommendation under the next revision, tells the watchers, and returns the revision.
func (s *Server) Put(recommendation *tidemarkv1.Recommendation) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()

	stored := proto.CloneOf(recommendation)
	s.state.revision++
	stored.Revision = s.state.revision
	s.state.recommendations[stored.GetService()] = stored
	s.record(change{s.state.revision, stored.GetService(), stored})

	return stored.GetRevision()
}

// Resend tells the watchers of the stored recommendation again, under its old revision.
func (s *Server) Resend(service string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.revision++
	s.record(change{s.state.revision, service, s.state.recommendations[service]})
}

// Remove forgets the service and tells the watchers.
func (s *Server) Remove(service string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.revision++
	delete(s.state.recommendations, service)
	s.record(change{s.state.revision, service, nil})
}

// ForgetHistory makes every resume token before the present revision expire.
func (s *Server) ForgetHistory() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.forgotten = s.state.revision
	s.state.history = nil
}

// LoseState makes the server start anew, with an empty store of another epoch: all tokens expire and revisions begin at 1.
// Streams that stand are ended.
func (s *Server) LoseState() {
	s.mu.Lock()
	defer s.mu.Unlock()

	epoch := s.state.epoch + 1
	s.state = newState()
	s.state.epoch = epoch

	s.disconnect()
}

// Recommendations returns what is stored, ordered by service.
func (s *Server) Recommendations() []*tidemarkv1.Recommendation {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.sorted()
}

// Revision returns the newest revision.
func (s *Server) Revision() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.state.revision
}

func (s *Server) sorted() []*tidemarkv1.Recommendation {
	all := make([]*tidemarkv1.Recommendation, 0, len(s.state.recommendations))
	for _, service := range slices.Sorted(maps.Keys(s.state.recommendations)) {
		all = append(all, s.state.recommendations[service])
	}

	return all
}

// record adds to the history and wakes the watchers. The caller holds the lock.
func (s *Server) record(c change) {
	s.state.history = append(s.state.history, c)

	close(s.changed)
	s.changed = make(chan struct{})
}

// token is the resume token of a revision.
func token(revision int64, epoch int) string { return fmt.Sprintf("%d@%d", revision, epoch) }
