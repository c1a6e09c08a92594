package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// recommend evaluates the service until the result could be committed: when somebody else has written its record
// meanwhile, the decision is made anew, unless nobody wants it any more.
func (p *Pool) recommend(ctx context.Context, lease queue.Lease) error {
	for {
		err := p.attempt(ctx, lease)
		if !errors.Is(err, store.ErrConflict) || ctx.Err() != nil || lease.Revoked() {
			return err
		}
	}
}

// attempt reads, decides and commits.
func (p *Pool) attempt(ctx context.Context, lease queue.Lease) error {
	service := lease.Service()

	before, err := p.before(ctx, service)
	if err != nil {
		return err
	}

	effective, snapshot, err := p.look(ctx, service)
	if err != nil {
		return err
	}

	state := p.stateOf(ctx, before)
	snapshot.Allocation, state.Scaling = heed(before.Recommendation, snapshot, state.Scaling, time.Now())

	advice := p.advice(ctx, effective, snapshot) // before the time is taken, because it may take a while

	decision := recommender.Decide(effective.Recommender, recommender.Input{
		Service:    service,
		Now:        time.Now(),
		Policy:     effective.Policy,
		Allocation: snapshot.Allocation,
		Usage:      snapshot,
		State:      state,
		Advice:     advice,
		Periodic:   lease.Periodic(),
	})

	remembered, err := encodeState(decision.State)
	if err != nil {
		return err
	}

	evaluated := time.Now()
	triggers := lease.Triggers()
	recommendation := newRecommendation(service, effective.Policy, decision, snapshot, triggers)
	recommendation.EvaluateTime = timestamppb.New(evaluated)
	recommendation.ExpireTime = timestamppb.New(evaluated.Add(p.config.Expiry))
	recommendation.ScalingReport = before.Recommendation.GetScalingReport()

	changed := !sameValue(before.Recommendation, recommendation)

	// Whatever took so long was not the store.
	if ctx.Err() != nil {
		return fmt.Errorf("before the commit: %w", context.Cause(ctx))
	}

	over := waitFor(ctx, Store)
	record, err := p.store.Commit(ctx, store.Commit{
		Recommendation: recommendation,
		State:          remembered,
		Previous:       before.Revision,
		Changed:        changed,
		Resend:         wantedAgain(before.Recommendation, triggers),
		Asked:          lease.Revision(),
		WorkRevision:   lease.Revision(),
	})

	over()

	switch {
	case errors.Is(err, store.ErrConflict):
		return err
	case errors.Is(err, store.ErrDeleted):
		p.logger.DebugContext(ctx, "the service was deleted while it was evaluated", "service", service)

		return nil
	case err != nil:
		return unavailableError{Store, fmt.Errorf("commit the recommendation: %w", err)}
	}

	p.report(ctx, record.Recommendation, lease, changed)

	return nil
}

// before returns the record of what was recommended before; empty when nothing was.
func (p *Pool) before(ctx context.Context, service string) (store.Record, error) {
	over := waitFor(ctx, Store)
	record, err := p.store.Get(ctx, service)

	over()

	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Record{}, unavailableError{Store, fmt.Errorf("read the previous recommendation: %w", err)}
	}

	return record, nil
}

// report logs one line for each evaluation: loud when the answer changed.
func (p *Pool) report(ctx context.Context, r *tidemarkv1.Recommendation, lease queue.Lease, changed bool) {
	log := p.logger.DebugContext
	if changed {
		log = p.logger.InfoContext
	}

	log(ctx, "evaluated",
		"service", r.GetService(),
		"revision", r.GetRevision(),
		"direction", name(r.GetDirection().String(), "DIRECTION_"),
		"status", name(r.GetStatus().String(), "STATUS_"),
		"cpu_millis", r.GetRecommended().GetCpuMillis(),
		"memory_bytes", r.GetRecommended().GetMemoryBytes(),
		"changed", changed,
		"waited", time.Since(lease.Enqueued()),
	)
}
