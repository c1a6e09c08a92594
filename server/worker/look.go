package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/advisor"
)

// look finds the policy of a service and reads what that needs. The labels of the inventory's latest list say which policy
// it is; where the labels that come with the usage say otherwise, they are newer, and what the other policy needs is read.
func (p *Pool) look(ctx context.Context, service string) (*policies.Effective, usage.Snapshot, error) {
	effective := p.sources.Policies.For(service, p.sources.Inventory.Labels(service))

	snapshot, err := p.read(ctx, service, effective)
	if err != nil {
		return nil, usage.Snapshot{}, err
	}

	newer := p.sources.Policies.For(service, snapshot.Labels)
	if newer == effective || newer.Request.Key() == effective.Request.Key() {
		return newer, snapshot, nil
	}

	snapshot, err = p.read(ctx, service, newer)

	return newer, snapshot, err
}

func (p *Pool) read(ctx context.Context, service string, effective *policies.Effective) (usage.Snapshot, error) {
	over := waitFor(ctx, UsageStore)
	snapshot, err := p.sources.Usage.Snapshot(ctx, service, effective.Request)

	over()

	// An answer that comes too late is as good as none.
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}

	if err != nil {
		return usage.Snapshot{}, unread(err)
	}

	return snapshot, nil
}

// unread tells what is the usage store's failure, which would befall every service, from what is this service's.
func unread(err error) error {
	fault, asked := errors.AsType[usage.QueryError](err)

	switch {
	case !asked:
		return unavailableError{UsageStore, err}
	case fault.Permanent:
		return PermanentError{fmt.Errorf("%s: %w", UsageStore, err)}
	default:
		return fmt.Errorf("%s: %w", UsageStore, err)
	}
}

// advice asks the outside recommender, if the policy has one. No answer is no advice, and no failure of the evaluation:
// the recommender falls back to the last good answer, and the advisor logs what is wrong.
func (p *Pool) advice(ctx context.Context, effective *policies.Effective, snapshot usage.Snapshot) recommender.Advice {
	if effective.External == nil || p.sources.Advisor == nil || !snapshot.Allocation.Resources().Known() {
		return recommender.Advice{}
	}

	advice, err := p.sources.Advisor.Advise(ctx, *effective.External, advisor.Request{
		Service: snapshot.Service, Allocation: snapshot.Allocation, Usage: snapshot,
	})
	if err != nil {
		p.logger.DebugContext(ctx, "no advice", "service", snapshot.Service, "error", err)

		return recommender.Advice{}
	}

	return advice
}
