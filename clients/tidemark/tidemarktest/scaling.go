package tidemarktest

import (
	"context"
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Reports returns the reports that were taken, in their order.
func (s *Server) Reports() []*tidemarkv1.ReportScalingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.state.reports)
}

// ReportScaling implements the API.
func (s *Server) ReportScaling(
	_ context.Context, request *tidemarkv1.ReportScalingRequest,
) (*tidemarkv1.ReportScalingResponse, error) {
	if err := s.fail("ReportScaling"); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	service := request.GetService()

	stored, known := s.state.recommendations[service]

	switch {
	case !known:
		return nil, notFound(tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND,
			"there is no recommendation for service "+service, service)
	case request.GetRevision() > stored.GetRevision():
		return nil, Error(codes.FailedPrecondition, tidemarkv1.ErrorReason_ERROR_REASON_REVISION_UNKNOWN,
			"that revision was never given to service "+service)
	}

	s.state.reports = append(s.state.reports, proto.CloneOf(request))
	s.keep(stored, request)

	return &tidemarkv1.ReportScalingResponse{Revision: stored.GetRevision()}, nil
}

// keep shows the report in the recommendation, unless that shows one about a newer revision, and tells the watchers of the
// recommendation again if the report asks for that. The caller holds the lock.
func (s *Server) keep(stored *tidemarkv1.Recommendation, request *tidemarkv1.ReportScalingRequest) {
	if request.GetRevision() < stored.GetScalingReport().GetRevision() {
		return
	}

	reported := proto.CloneOf(stored)
	reported.ScalingReport = &tidemarkv1.ScalingReport{
		Revision: request.GetRevision(), Outcome: request.GetOutcome(), Allocation: request.GetAllocation(),
		Message: request.GetMessage(), Agent: request.GetAgent(), ReportTime: timestamppb.Now(),
	}
	s.state.recommendations[reported.GetService()] = reported

	unapplied := request.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED ||
		request.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED
	if request.GetResend() && unapplied && request.GetRevision() == reported.GetRevision() {
		s.resend(reported)
	}
}

// DeleteService implements the API.
func (s *Server) DeleteService(
	_ context.Context, request *tidemarkv1.DeleteServiceRequest,
) (*tidemarkv1.DeleteServiceResponse, error) {
	if err := s.fail("DeleteService"); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if _, known := s.state.recommendations[request.GetService()]; !known {
		return nil, notFound(tidemarkv1.ErrorReason_ERROR_REASON_SERVICE_NOT_FOUND,
			"nothing is known of service "+request.GetService(), request.GetService())
	}

	s.remove(request.GetService())

	return &tidemarkv1.DeleteServiceResponse{Revision: s.state.revision}, nil
}

// notFound is the error about a service that is not there.
func notFound(reason tidemarkv1.ErrorReason, message, service string) error {
	return Error(codes.NotFound, reason, message, &errdetails.ResourceInfo{
		ResourceType: "tidemark.dev/Service", ResourceName: service, Description: message,
	})
}
