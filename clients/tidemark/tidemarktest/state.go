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
	before         *tidemarkv1.Recommendation // what there was; nil for nothing
	renewed        bool                       // the value is the same
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
	reports         []*tidemarkv1.ReportScalingRequest
	observed        func(*tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse
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
	before := s.state.recommendations[stored.GetService()]
	s.state.revision++
	stored.Revision = s.state.revision
	s.state.recommendations[stored.GetService()] = stored
	s.record(change{
		revision: s.state.revision, service: stored.GetService(), recommendation: stored, before: before,
	})

	return stored.GetRevision()
}

// Resend tells the watchers of the stored recommendation again, under its old revision.
func (s *Server) Resend(service string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.resend(s.state.recommendations[service])
}

// resend tells the watchers of a recommendation again. The caller holds the lock.
func (s *Server) resend(stored *tidemarkv1.Recommendation) {
	s.state.revision++
	s.record(change{revision: s.state.revision, service: stored.GetService(), recommendation: stored, before: stored})
}

// Renew replaces the stored recommendation of the service by a copy of this one under its old revision, which makes it the
// same value with other times, and tells the watchers. A service of which nothing is stored is put.
func (s *Server) Renew(recommendation *tidemarkv1.Recommendation) {
	s.mu.Lock()
	defer s.mu.Unlock()

	stored := proto.CloneOf(recommendation)
	before, known := s.state.recommendations[stored.GetService()]
	s.state.revision++
	stored.Revision = s.state.revision

	if known {
		stored.Revision = before.GetRevision()
	}

	s.state.recommendations[stored.GetService()] = stored
	s.record(change{
		revision: s.state.revision, service: stored.GetService(), recommendation: stored, before: before, renewed: known,
	})
}

// Remove forgets the service and tells the watchers.
func (s *Server) Remove(service string) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.remove(service)
}

// remove forgets a service and tells the watchers. The caller holds the lock.
func (s *Server) remove(service string) {
	before := s.state.recommendations[service]
	s.state.revision++
	delete(s.state.recommendations, service)
	s.record(change{revision: s.state.revision, service: service, before: before})
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

	s.end(errStopping)
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
