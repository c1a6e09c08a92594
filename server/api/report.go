package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// ReportScaling implements the RPC. When somebody else writes the record at the same time, it is read again.
func (r *Recommendations) ReportScaling(
	ctx context.Context, request *tidemarkv1.ReportScalingRequest,
) (*tidemarkv1.ReportScalingResponse, error) {
	for {
		current, err := r.report(ctx, request)
		if errors.Is(err, store.ErrConflict) {
			continue
		}

		if err != nil {
			return nil, err
		}

		r.noteReport(ctx, request, current)

		return &tidemarkv1.ReportScalingResponse{Revision: current}, nil
	}
}

// report writes the report down, unless there is nothing new in it, and returns the service's current revision.
func (r *Recommendations) report(ctx context.Context, request *tidemarkv1.ReportScalingRequest) (int64, error) {
	service := request.GetService()

	before, err := r.store.Get(ctx, service)
	if errors.Is(err, store.ErrNotFound) {
		return 0, watch.NotFoundError{Service: service}
	}

	if err != nil {
		return 0, fmt.Errorf("read the recommendation of %s: %w", service, err)
	}

	current := before.Recommendation.GetRevision()
	if request.GetRevision() > current {
		return 0, unknownRevision(request, current)
	}

	report, latest := newReport(request, before.Recommendation), before.Recommendation.GetScalingReport()
	resend := mayResend(request, current)

	if report.GetRevision() < latest.GetRevision() || sameReport(report, latest) && !resend {
		return current, nil
	}

	recommendation := proto.CloneOf(before.Recommendation)
	recommendation.ScalingReport = report

	_, err = r.store.Commit(ctx, store.Commit{
		Recommendation: recommendation, State: before.State, Previous: before.Revision, Resend: resend,
	})
	if err != nil {
		return 0, fmt.Errorf("write the report on %s down: %w", service, err)
	}

	return current, nil
}

// unknownRevision says that an agent speaks of what the service never had.
func unknownRevision(request *tidemarkv1.ReportScalingRequest, current int64) error {
	return rpcerror.New(codes.FailedPrecondition, tidemarkv1.ErrorReason_ERROR_REASON_REVISION_UNKNOWN,
		fmt.Sprintf("revision %d was never given to service %s here; its current one is %d",
			request.GetRevision(), request.GetService(), current)).
		About(request.GetService()).With("head", strconv.FormatInt(current, 10))
}

// newReport is what is kept of a report. A current recommendation that was applied says which size the service has.
func newReport(
	request *tidemarkv1.ReportScalingRequest, current *tidemarkv1.Recommendation,
) *tidemarkv1.ScalingReport {
	report := &tidemarkv1.ScalingReport{
		Revision:   request.GetRevision(),
		Outcome:    request.GetOutcome(),
		Allocation: request.GetAllocation(),
		Message:    request.GetMessage(),
		Agent:      request.GetAgent(),
		ReportTime: timestamppb.Now(),
	}

	if report.GetAllocation() == nil && report.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED &&
		report.GetRevision() == current.GetRevision() {
		report.Allocation = current.GetRecommended()
	}

	return report
}

// sameReport reports that the second says all that the first does. A report that is repeated because its answer was lost
// keeps its first time.
func sameReport(a, b *tidemarkv1.ScalingReport) bool {
	return a.GetRevision() == b.GetRevision() && a.GetOutcome() == b.GetOutcome() && a.GetMessage() == b.GetMessage() &&
		a.GetAgent() == b.GetAgent() && proto.Equal(a.GetAllocation(), b.GetAllocation())
}

// mayResend reports that the value was not applied, still stands and is wanted again.
func mayResend(request *tidemarkv1.ReportScalingRequest, current int64) bool {
	unapplied := request.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED ||
		request.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED

	return request.GetResend() && unapplied && request.GetRevision() == current
}

// noteReport counts and logs a report: loud when a size was not applied.
func (r *Recommendations) noteReport(ctx context.Context, request *tidemarkv1.ReportScalingRequest, current int64) {
	outcome := strings.ToLower(strings.TrimPrefix(request.GetOutcome().String(), "SCALING_OUTCOME_"))
	r.observer.Reported(outcome, request.GetRevision() < current)

	level := slog.LevelInfo
	if request.GetOutcome() == tidemarkv1.ScalingOutcome_SCALING_OUTCOME_FAILED {
		level = slog.LevelWarn
	}

	r.logger.Log(ctx, level, "scaling was reported", "service", request.GetService(), "revision", request.GetRevision(),
		"outcome", outcome, "agent", request.GetAgent(), "message", request.GetMessage())
}
