package worker

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/advisor"
	"github.com/tidemark-project/tidemark/server/store"
)

const gibibyte = 1 << 30

var allocated = size.Size{CPUMillis: 1000, MemoryBytes: gibibyte, Replicas: 3}

// fakeUsage reads what it is told to; without that, a service of the allocated size.
type fakeUsage struct {
	mu   sync.Mutex
	read func(ctx context.Context, service string) (usage.Snapshot, error)

	requests []usage.Request
}

func (f *fakeUsage) Snapshot(ctx context.Context, service string, request usage.Request) (usage.Snapshot, error) {
	f.mu.Lock()
	read := f.read
	f.requests = append(f.requests, request)
	f.mu.Unlock()

	if read != nil {
		return read(ctx, service)
	}

	return seen(service), nil
}

func (f *fakeUsage) set(read func(context.Context, string) (usage.Snapshot, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.read = read
}

// fail makes every read fail.
func (f *fakeUsage) fail(err error) {
	f.set(func(context.Context, string) (usage.Snapshot, error) { return usage.Snapshot{}, err })
}

// seen is a service of the allocated size with fresh data.
func seen(service string) usage.Snapshot {
	return usage.Snapshot{Service: service, Allocation: allocated, NewestSample: time.Now(), ReadTime: time.Now()}
}

// fakeRecommender proposes what it is told to; without that, the need that the state counts up.
type fakeRecommender struct {
	mu        sync.Mutex
	recommend func(recommender.Input) recommender.Proposal
}

func (f *fakeRecommender) Name() string       { return "fake" }
func (*fakeRecommender) Needs() usage.Request { return usage.Request{} }

func (f *fakeRecommender) Recommend(in recommender.Input) recommender.Proposal {
	f.mu.Lock()
	recommend := f.recommend
	f.mu.Unlock()

	return recommend(in)
}

func (f *fakeRecommender) set(recommend func(recommender.Input) recommender.Proposal) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.recommend = recommend
}

// need makes every evaluation propose the need.
func (f *fakeRecommender) need(millis int64) {
	f.set(func(recommender.Input) recommender.Proposal {
		return recommender.Proposal{
			Need:    size.Resources{CPUMillis: millis, MemoryBytes: gibibyte},
			Reasons: []recommender.Reason{recommender.ReasonCPUAboveBand},
			State:   recommender.State{Trend: recommender.Trend{Time: time.Now(), Small: size.Resources{CPUMillis: millis}}},
		}
	})
}

// countingObserver counts evaluations by outcome.
type countingObserver struct {
	mu    sync.Mutex
	count map[string]int
	took  time.Duration

	cancelled, abandoned int
}

func (o *countingObserver) Evaluated(outcome string, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()

	o.count[outcome]++
	o.took = took
}

func (o *countingObserver) Overdue(heeded bool) {
	o.mu.Lock()
	defer o.mu.Unlock()

	if heeded {
		o.cancelled++
	} else {
		o.abandoned++
	}
}

// overdue returns how many evaluations that took too long let themselves be cancelled, and how many did not.
func (o *countingObserver) overdue() (cancelled, abandoned int) {
	o.mu.Lock()
	defer o.mu.Unlock()

	return o.cancelled, o.abandoned
}

func (o *countingObserver) outcomes() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()

	return maps.Clone(o.count)
}

// busyStore is a store in which others write as well: something happens before each commit.
type busyStore struct {
	*store.Memory

	mu     sync.Mutex
	before func(*store.Memory, store.Commit) error
}

func (s *busyStore) Commit(ctx context.Context, c store.Commit) (store.Record, error) {
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()

	if before != nil {
		if err := before(s.Memory, c); err != nil {
			return store.Record{}, err
		}
	}

	return s.Memory.Commit(ctx, c)
}

// set makes something happen before every commit from now on.
func (s *busyStore) set(before func(*store.Memory, store.Commit) error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.before = before
}

// fakeSizing is all that says how services are sized: the policies, the labels they go by, and outside advice.
type fakeSizing struct {
	mu        sync.Mutex
	effective map[string]*policies.Effective // by the label "tier"
	labels    map[string]string
	advice    recommender.Advice
	err       error
	asked     []advisor.Request
	takes     time.Duration // of an answer, which is of that moment then
}

// newFakeSizing has one policy, of services without a tier.
func newFakeSizing(r recommender.Recommender) *fakeSizing {
	return &fakeSizing{effective: map[string]*policies.Effective{"": {Policy: testPolicy, Recommender: r}}}
}

func (f *fakeSizing) For(_ string, labels map[string]string) *policies.Effective {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.effective[labels["tier"]]
}

func (f *fakeSizing) Labels(string) map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.labels
}

func (f *fakeSizing) Advise(_ context.Context, _ external.Params, r advisor.Request) (recommender.Advice, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.asked = append(f.asked, r)
	advice := f.advice

	if f.takes > 0 {
		time.Sleep(f.takes)

		advice.Time = time.Now()
	}

	return advice, f.err
}
