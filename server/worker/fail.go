package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
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
	// Read while the lease still keeps others away: if the service is evaluated again before the failure is written down,
	// then the newer result stands.
	before, unread := p.before(ctx, lease.Service())

	record := &tidemarkv1.Failure{
		Message:     failureMessage(failure),
		Attempts:    int32(min(lease.Attempts()+1, 1<<30)), //nolint:gosec // bounded one word before
		FailureTime: timestamppb.Now(),
	}

	again, gaveUp := giveBack(lease, failure)
	if !gaveUp {
		record.RetryTime = apivalue.TimeOrNone(again)
	}

	p.logger.WarnContext(ctx, "evaluation failed", "service", lease.Service(), "attempts", record.GetAttempts(),
		"gave_up", gaveUp, "retry_time", again, "error", failure)

	err := unread
	if err == nil {
		err = p.writeFailure(ctx, lease.Service(), before, record)
	}

	if err != nil && !errors.Is(err, store.ErrConflict) {
		p.logger.WarnContext(ctx, "failure cannot be written down", "service", lease.Service(), "error", err)
	}

	if gaveUp {
		return "failed"
	}

	return "retry"
}

// giveBack completes the lease and returns when the service is due again, or that the queue has given it up.
func giveBack(lease *queue.Lease, failure error) (again time.Time, gaveUp bool) {
	if _, permanent := errors.AsType[PermanentError](failure); permanent {
		lease.Fail(failure)

		return time.Time{}, true
	}

	return lease.Retry(failure)
}

// writeFailure adds the failure to the recommendation that is in force.
func (p *Pool) writeFailure(
	ctx context.Context, service string, before store.Record, failure *tidemarkv1.Failure,
) error {
	policy := p.sources.Policies.For(service, p.sources.Inventory.Labels(service)).Policy
	recommendation := &tidemarkv1.Recommendation{
		Service: service,
		Status:  tidemarkv1.Status_STATUS_FAILED,
		Mode:    modes[policy.Mode.OrDefault()],
		Policy:  &tidemarkv1.PolicyRef{Name: policy.Name, Hash: policy.Hash},
	}
	if before.Recommendation != nil {
		recommendation = proto.CloneOf(before.Recommendation)
	}

	recommendation.Failure = failure

	if _, err := p.store.Commit(ctx, store.Commit{
		Recommendation: recommendation,
		State:          before.State,
		Previous:       before.Revision,
		Changed:        before.Recommendation == nil,
	}); err != nil {
		return fmt.Errorf("commit the failure: %w", err)
	}

	return nil
}

// maxFailureMessage bounds what is published of an error's text, in bytes.
const maxFailureMessage = 1024

// failureMessage makes an error's text fit to be published: errors of other systems may be long and hold any bytes, and
// text that is not valid UTF-8 could not be sent to anybody.
func failureMessage(failure error) string {
	message := failure.Error()

	return strings.ToValidUTF8(message[:min(len(message), maxFailureMessage)], "")
}
