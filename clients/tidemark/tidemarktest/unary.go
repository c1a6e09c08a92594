package tidemarktest

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const defaultPage = 100

// SetServices sets the inventory.
func (s *Server) SetServices(services ...*tidemarkv1.Service) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.services = slices.SortedFunc(slices.Values(services), func(a, b *tidemarkv1.Service) int {
		return strings.Compare(a.GetService(), b.GetService())
	})
}

// Enqueued returns the requests that were accepted, in their order.
func (s *Server) Enqueued() []*tidemarkv1.EnqueueRequest {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.state.enqueued)
}

// RefuseWith sets a function that is asked for every request to enqueue whether it is refused; nil for none.
func (s *Server) RefuseWith(refuse func(*tidemarkv1.EnqueueRequest) error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.state.refuse = refuse
}

// Enqueue implements the API.
func (s *Server) Enqueue(_ context.Context, request *tidemarkv1.EnqueueRequest) (*tidemarkv1.EnqueueResponse, error) {
	if err := s.fail("Enqueue"); err != nil {
		return nil, err
	}

	return s.enqueue(request)
}

// BatchEnqueue implements the API.
func (s *Server) BatchEnqueue(
	_ context.Context, request *tidemarkv1.BatchEnqueueRequest,
) (*tidemarkv1.BatchEnqueueResponse, error) {
	if err := s.fail("BatchEnqueue"); err != nil {
		return nil, err
	}

	response := &tidemarkv1.BatchEnqueueResponse{}

	for _, r := range request.GetRequests() {
		result := &tidemarkv1.EnqueueResult{}

		if accepted, err := s.enqueue(r); err != nil {
			result.Result = &tidemarkv1.EnqueueResult_Error{Error: status.Convert(err).Proto()}
		} else {
			result.Result = &tidemarkv1.EnqueueResult_Response{Response: accepted}
		}

		response.Results = append(response.Results, result)
	}

	return response, nil
}

func (s *Server) enqueue(request *tidemarkv1.EnqueueRequest) (*tidemarkv1.EnqueueResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.state.refuse != nil {
		if err := s.state.refuse(request); err != nil {
			return nil, err
		}
	}

	s.state.enqueued = append(s.state.enqueued, request)

	return &tidemarkv1.EnqueueResponse{
		Service: request.GetService(),
		Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED,
		DueTime: timestamppb.Now(),
	}, nil
}

// GetRecommendation implements the API.
func (s *Server) GetRecommendation(
	_ context.Context, request *tidemarkv1.GetRecommendationRequest,
) (*tidemarkv1.GetRecommendationResponse, error) {
	if err := s.fail("GetRecommendation"); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	found, ok := s.state.recommendations[request.GetService()]
	if !ok {
		return nil, Error(codes.NotFound, tidemarkv1.ErrorReason_ERROR_REASON_RECOMMENDATION_NOT_FOUND,
			"there is no recommendation for service "+strconv.Quote(request.GetService()))
	}

	return &tidemarkv1.GetRecommendationResponse{Recommendation: found}, nil
}

// ListRecommendations implements the API.
func (s *Server) ListRecommendations(
	_ context.Context, request *tidemarkv1.ListRecommendationsRequest,
) (*tidemarkv1.ListRecommendationsResponse, error) {
	if err := s.fail("ListRecommendations"); err != nil {
		return nil, err
	}

	wanted, err := newFilter(request.GetFilter())
	if err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	selected := slices.DeleteFunc(s.sorted(), func(r *tidemarkv1.Recommendation) bool {
		return !wanted.selects(r)
	})
	page, next := cut(selected, request.GetPageToken(), request.GetPageSize(), (*tidemarkv1.Recommendation).GetService)

	return &tidemarkv1.ListRecommendationsResponse{
		Recommendations: page, NextPageToken: next, Revision: s.state.revision,
	}, nil
}

// ListServices implements the API. It filters by tenant only.
func (s *Server) ListServices(
	_ context.Context, request *tidemarkv1.ListServicesRequest,
) (*tidemarkv1.ListServicesResponse, error) {
	if err := s.fail("ListServices"); err != nil {
		return nil, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	var selected []*tidemarkv1.Service

	for _, service := range s.state.services {
		if request.GetTenant() == "" || strings.HasPrefix(service.GetService(), request.GetTenant()+"/") {
			selected = append(selected, service)
		}
	}

	page, next := cut(selected, request.GetPageToken(), request.GetPageSize(), (*tidemarkv1.Service).GetService)

	return &tidemarkv1.ListServicesResponse{Services: page, NextPageToken: next, InventoryTime: timestamppb.Now()}, nil
}

// cut returns the page after the token, which is the last key of the page before, and the next token.
func cut[E any](all []E, token string, size int32, key func(E) string) ([]E, string) {
	if size <= 0 {
		size = defaultPage
	}

	from := sort.Search(len(all), func(i int) bool { return key(all[i]) > token })
	to := min(from+int(size), len(all))

	if to == len(all) {
		return all[from:], ""
	}

	return all[from:to], key(all[to-1])
}
