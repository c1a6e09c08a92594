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
func (p *Pool) fail(ctx context.Context, lease queue.Lease, failure error) string {
	ctx, cancel := context.WithTimeout(ctx, failureTimeout)
	defer cancel()

	// Read while the lease still keeps others away: if the service is evaluated again before the failure is written down,
	// then the newer result stands.
	before, unread := p.beforeFailure(ctx, lease.Service(), failure)

	record := &tidemarkv1.Failure{
		Message:     failureMessage(failure),
		Attempts:    apivalue.Count(lease.Attempts() + 1),
		FailureTime: timestamppb.Now(),
	}

	if lease.Revoked() {
		lease.Release()

		return Released
	}

	setback, outcome := giveBack(lease, failure)
	if outcome == Unavailable {
		p.reportWait(ctx, lease, setback, failure)

		return Unavailable
	}

	if !setback.GaveUp {
		record.RetryTime = apivalue.TimeOrNone(setback.Again)
	}

	p.logger.WarnContext(ctx, "evaluation failed", "service", lease.Service(), "attempts", record.GetAttempts(),
		"gave_up", setback.GaveUp, "retry_time", setback.Again, "error", failure)

	err := unread
	if err == nil {
		err = p.writeFailure(ctx, lease, before, record)
	}

	if err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrDeleted) {
		p.logger.WarnContext(ctx, "failure cannot be written down", "service", lease.Service(), "error", err)
	}

	return outcome
}

// failureTimeout is how long it may take to write a failure down.
const failureTimeout = 10 * time.Second

// beforeFailure is before, which it does not try when that is what failed.
func (p *Pool) beforeFailure(ctx context.Context, service string, failure error) (store.Record, error) {
	if missing, is := errors.AsType[unavailableError](failure); is && missing.dependency == Store {
		return store.Record{}, failure
	}

	return p.before(ctx, service)
}

// giveBack completes the lease and returns what becomes of the service, and what the queue counts it as.
func giveBack(lease queue.Lease, failure error) (queue.Setback, string) {
	if _, permanent := errors.AsType[PermanentError](failure); permanent {
		lease.Fail(failure)

		return queue.Setback{GaveUp: true}, Failed
	}

	if missing, is := errors.AsType[unavailableError](failure); is {
		setback := lease.Unavailable(missing.dependency, failure)
		if setback.Waits {
			return setback, Unavailable
		}

		return setback, Retried
	}

	again, gaveUp := lease.Retry(failure)

	return queue.Setback{Again: again, GaveUp: gaveUp}, Retried
}

// reportWait logs that services wait for a dependency: once each time that it was found missing.
func (p *Pool) reportWait(ctx context.Context, lease queue.Lease, setback queue.Setback, failure error) {
	log := p.logger.DebugContext
	if setback.Opened {
		log = p.logger.WarnContext
	}

	log(ctx, "evaluations wait for what they depend on", "service", lease.Service(), "error", failure)
}

// writeFailure adds the failure to the recommendation that is in force.
func (p *Pool) writeFailure(
	ctx context.Context, lease queue.Lease, before store.Record, failure *tidemarkv1.Failure,
) error {
	service := lease.Service()
	labels := p.sources.Inventory.Labels(service)
	policy := p.sources.Policies.For(service, labels).Policy
	recommendation := &tidemarkv1.Recommendation{
		Service: service,
		Status:  tidemarkv1.Status_STATUS_FAILED,
		Mode:    modes[policy.Mode.OrDefault()],
		Policy:  &tidemarkv1.PolicyRef{Name: policy.Name, Hash: policy.Hash},
		Labels:  apivalue.Labels(labels),
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
		Asked:          lease.Revision(),
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
