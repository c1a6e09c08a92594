package server_test

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const gibibyte = 1 << 30

// fakeUsage knows every service, at one core and one gibibyte. A read takes as long as it is told to.
type fakeUsage struct {
	reads   atomic.Int64
	running atomic.Int64

	mu   sync.Mutex
	take func(context.Context) error
}

func (f *fakeUsage) Snapshot(ctx context.Context, service string, _ usage.Request) (usage.Snapshot, error) {
	f.reads.Add(1)
	f.running.Add(1)
	defer f.running.Add(-1)

	f.mu.Lock()
	take := f.take
	f.mu.Unlock()

	if take != nil {
		if err := take(ctx); err != nil {
			return usage.Snapshot{}, err
		}
	}

	return usage.Snapshot{
		Service: service, Allocation: size.Size{CPUMillis: 1000, MemoryBytes: gibibyte}, NewestSample: time.Now(),
	}, nil
}

func (f *fakeUsage) set(take func(context.Context) error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.take = take
}

// lasting is a read that takes a while.
func lasting(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// doubling is a recommender that wants twice the CPU.
type doubling struct{}

func (doubling) Name() string         { return "doubling" }
func (doubling) Needs() usage.Request { return usage.Request{} }

// For makes it the recommender of every service.
func (d doubling) For(string, map[string]string) *policies.Effective {
	return &policies.Effective{Policy: policy.Default(), Recommender: d}
}

func (doubling) Recommend(in recommender.Input) recommender.Proposal {
	return recommender.Proposal{
		Need:    size.Resources{CPUMillis: 2 * in.Allocation.CPUMillis, MemoryBytes: in.Allocation.MemoryBytes},
		Reasons: []recommender.Reason{recommender.ReasonCPUAboveBand},
	}
}

// fakeLister is the inventory: two services.
type fakeLister struct{}

func (fakeLister) List(context.Context) ([]*tidemarkv1.Service, error) {
	return []*tidemarkv1.Service{{Service: "prod/b"}, {Service: "prod/a"}}, nil
}
