package tidemarktest

import (
	"context"

	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// SetObserveReport sets a function that answers requests for the observe report; without one the report is empty.
func (s *Server) SetObserveReport(
	answer func(*tidemarkv1.GetObserveReportRequest) *tidemarkv1.GetObserveReportResponse,
) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.observed = answer
}

// GetObserveReport implements the API.
func (s *Server) GetObserveReport(
	_ context.Context, request *tidemarkv1.GetObserveReportRequest,
) (*tidemarkv1.GetObserveReportResponse, error) {
	if err := s.fail("GetObserveReport"); err != nil {
		return nil, err
	}

	s.mu.Lock()
	answer := s.state.observed
	s.mu.Unlock()

	if answer == nil {
		return &tidemarkv1.GetObserveReportResponse{}, nil
	}

	return proto.CloneOf(answer(request)), nil
}
