package watch

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func recommendationEvent(
	r *tidemarkv1.Recommendation, token string, renewed bool,
) *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event:       &tidemarkv1.WatchRecommendationsResponse_Recommendation{Recommendation: r},
		ResumeToken: token,
		Renewed:     renewed,
	}
}

func removedEvent(e *entry, token string) *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event: &tidemarkv1.WatchRecommendationsResponse_Removed{
			Removed: &tidemarkv1.RecommendationRemoved{Service: e.service, Revision: e.revision},
		},
		ResumeToken: token,
	}
}

func (s *stream) endOfSnapshot(count int64) *tidemarkv1.WatchRecommendationsResponse {
	return &tidemarkv1.WatchRecommendationsResponse{
		Event: &tidemarkv1.WatchRecommendationsResponse_EndOfSnapshot{
			EndOfSnapshot: &tidemarkv1.EndOfSnapshot{Revision: s.cursor, Count: count},
		},
		ResumeToken: s.token(s.cursor),
	}
}

func (s *stream) heartbeat() *tidemarkv1.WatchRecommendationsResponse {
	s.hub.mu.RLock()
	fresh := s.hub.fresh
	s.hub.mu.RUnlock()

	heartbeat := &tidemarkv1.Heartbeat{Revision: s.cursor, ServerTime: timestamppb.Now()}
	if !fresh.IsZero() {
		heartbeat.FreshTime = timestamppb.New(fresh)
	}

	return &tidemarkv1.WatchRecommendationsResponse{
		Event:       &tidemarkv1.WatchRecommendationsResponse_Heartbeat{Heartbeat: heartbeat},
		ResumeToken: s.token(s.cursor),
	}
}

// token is what a reader that has seen everything up to the revision resumes with.
func (s *stream) token(revision int64) string { return encodeToken(s.hub.epoch, revision) }
