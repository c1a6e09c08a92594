package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// recommend reads, decides and commits.
func (p *Pool) recommend(ctx context.Context, lease *queue.Lease) error {
	service := lease.Service()

	before, err := p.before(ctx, service)
	if err != nil {
		return err
	}

	snapshot, err := p.usage.Snapshot(ctx, service)
	if err != nil {
		return fmt.Errorf("read usage: %w", err)
	}

	decision := recommender.Decide(p.recommender, recommender.Input{
		Service:    service,
		Now:        time.Now(),
		Policy:     p.policy,
		Allocation: snapshot.Allocation,
		Usage:      snapshot,
		State:      before.state,
		Periodic:   lease.Periodic(),
	})

	state, err := json.Marshal(decision.State)
	if err != nil {
		return fmt.Errorf("encode the recommender's state: %w", err)
	}

	recommendation := newRecommendation(service, p.policy, decision, snapshot, lease.Triggers())
	recommendation.EvaluateTime = timestamppb.Now()
	recommendation.ExpireTime = timestamppb.New(time.Now().Add(p.config.Expiry))
	recommendation.ScalingReport = before.recommendation.GetScalingReport()

	changed := !sameValue(before.recommendation, recommendation)

	_, err = p.store.Commit(ctx, store.Commit{
		Recommendation: recommendation,
		State:          state,
		Changed:        changed,
		WorkRevision:   lease.Revision(),
	})
	if err != nil {
		return fmt.Errorf("commit the recommendation: %w", err)
	}

	p.report(ctx, recommendation, lease, changed)

	return nil
}

// previous is what was recommended before; empty when nothing was.
type previous struct {
	recommendation *tidemarkv1.Recommendation
	raw            []byte
	state          recommender.State
}

func (p *Pool) before(ctx context.Context, service string) (previous, error) {
	record, err := p.store.Get(ctx, service)
	if errors.Is(err, store.ErrNotFound) {
		return previous{}, nil
	}

	if err != nil {
		return previous{}, fmt.Errorf("read the previous recommendation: %w", err)
	}

	before := previous{recommendation: record.Recommendation, raw: record.State}

	if len(record.State) > 0 {
		if err := json.Unmarshal(record.State, &before.state); err != nil {
			return previous{}, fmt.Errorf("decode the recommender's state: %w", err)
		}
	}

	return before, nil
}

// report logs one line for each evaluation: loud when the answer changed.
func (p *Pool) report(ctx context.Context, r *tidemarkv1.Recommendation, lease *queue.Lease, changed bool) {
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
