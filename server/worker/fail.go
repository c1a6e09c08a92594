package worker

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// PermanentError marks a failure that no retry can mend.
type PermanentError struct{ Err error }

// Error implements error.
func (e PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns the failure itself.
func (e PermanentError) Unwrap() error { return e.Err }

// fail gives the service back to the queue, and writes down why, so that whoever asks for the recommendation sees it. What
// was recommended before stays. It returns the outcome for the metrics.
func (p *Pool) fail(ctx context.Context, lease *queue.Lease, failure error) string {
	var (
		again     time.Time
		gaveUp    bool
		permanent PermanentError
		attempts  = lease.Attempts() + 1
	)

	if errors.As(failure, &permanent) {
		lease.Fail(failure)

		gaveUp = true
	} else {
		again, gaveUp = lease.Retry(failure)
	}

	p.logger.WarnContext(ctx, "evaluation failed",
		"service", lease.Service(), "attempts", attempts, "gave_up", gaveUp, "retry_time", again, "error", failure)

	record := &tidemarkv1.Failure{
		Message:     failure.Error(),
		Attempts:    int32(min(attempts, 1<<30)), //nolint:gosec // bounded one word before
		FailureTime: timestamppb.Now(),
	}
	if !gaveUp {
		record.RetryTime = timestamppb.New(again)
	}

	if err := p.writeFailure(ctx, lease.Service(), record); err != nil {
		p.logger.WarnContext(ctx, "failure cannot be written down", "service", lease.Service(), "error", err)
	}

	if gaveUp {
		return "failed"
	}

	return "retry"
}

// writeFailure adds the failure to the recommendation that is in force.
func (p *Pool) writeFailure(ctx context.Context, service string, failure *tidemarkv1.Failure) error {
	before, err := p.before(ctx, service)
	if err != nil {
		return err
	}

	recommendation := &tidemarkv1.Recommendation{
		Service: service,
		Status:  tidemarkv1.Status_STATUS_FAILED,
		Mode:    modes[p.policy.Mode.OrDefault()],
		Policy:  &tidemarkv1.PolicyRef{Name: p.policy.Name, Hash: p.policy.Hash},
	}
	if before.recommendation != nil {
		recommendation = proto.CloneOf(before.recommendation)
	}

	recommendation.Failure = failure

	_, err = p.store.Commit(ctx, store.Commit{
		Recommendation: recommendation,
		State:          before.raw,
		Changed:        before.recommendation == nil,
	})

	return err //nolint:wrapcheck // the caller says what was tried
}
