package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"buf.build/go/protovalidate"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/inventory"
	"github.com/tidemark-project/tidemark/server/observe"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/rpcerror"
	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/watch"
)

// fixture is the service with all that is behind it, but for workers: nothing is evaluated unless a test does.
type fixture struct {
	*Recommendations
	*testing.T

	memory   *store.Memory
	lister   *fakeLister
	observer *countingObserver
}

// countingObserver counts what it hears of.
type countingObserver struct {
	mu    sync.Mutex // guards all below
	count map[string]int
}

func (o *countingObserver) Reported(outcome string, outdated bool) {
	o.add(fmt.Sprintf("%s outdated=%t", outcome, outdated))
}

func (o *countingObserver) Forgotten(gone bool) { o.add(fmt.Sprintf("forgotten gone=%t", gone)) }

func (o *countingObserver) add(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()

	o.count[what]++
}

// fakeLister is an inventory that can be away.
type fakeLister struct {
	mu       sync.Mutex // guards all below
	services []*tidemarkv1.Service
}

func (f *fakeLister) List(context.Context) ([]*tidemarkv1.Service, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.services == nil {
		return nil, errors.New("away")
	}

	return f.services, nil
}

// set brings the inventory back, with these services.
func (f *fakeLister) set(services ...*tidemarkv1.Service) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.services = services
}

// start returns the service. Everything behind it is stopped when the test ends.
func start(t *testing.T, change ...func(*queue.Config)) *fixture {
	t.Helper()

	config := queue.Default()
	for _, c := range change {
		c(&config)
	}

	q, err := queue.New(config)
	require.NoError(t, err)

	validator, err := protovalidate.New()
	require.NoError(t, err)

	discard := slog.New(slog.DiscardHandler)
	memory, lister, observer := store.NewMemory(), &fakeLister{}, &countingObserver{count: make(map[string]int)}
	hub := watch.New(memory, watch.DefaultConfig(), discard)
	cache := inventory.New(lister, time.Second, discard)
	journal := observe.New(memory, discard)

	require.NoError(t, hub.Load(t.Context()))

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 3)

	go func() { ended <- hub.Run(ctx) }()
	go func() { ended <- cache.Run(ctx) }()
	go func() { ended <- journal.Run(ctx) }()

	t.Cleanup(func() {
		cancel()
		q.Close()

		for range cap(ended) {
			require.ErrorIs(t, <-ended, context.Canceled)
		}
	})

	return &fixture{
		Recommendations: NewRecommendations(Backing{
			Queue: q, Store: memory, Hub: hub, Inventory: cache, Validator: validator, Observed: journal, Observer: observer,
			Logger: discard,
		}),
		T: t, memory: memory, lister: lister, observer: observer,
	}
}

// enqueue enqueues and returns the answer.
func (f *fixture) enqueue(request *tidemarkv1.EnqueueRequest) *tidemarkv1.EnqueueResponse {
	f.Helper()

	response, err := f.Enqueue(f.Context(), request)
	require.NoError(f, err)
	require.Equal(f, request.GetService(), response.GetService())

	return response
}

// take hands the next item out.
func (f *fixture) take() queue.Lease {
	f.Helper()

	lease, err := f.queue.Get(f.Context())
	require.NoError(f, err)

	return lease
}

// recommend commits a recommendation and returns its revision.
func (f *fixture) recommend(service string) int64 {
	f.Helper()

	record, err := f.memory.Commit(f.Context(), store.Commit{
		Recommendation: &tidemarkv1.Recommendation{
			Service: service, Explanation: &tidemarkv1.Explanation{Recommender: "test"},
		},
		Changed: true,
	})
	require.NoError(f, err)
	require.NoError(f, f.hub.WaitFor(f.Context(), record.Revision))

	return record.Revision
}

// work is the work that the store holds, by service.
func (f *fixture) work() map[string]store.Work {
	f.Helper()

	list, err := f.memory.Work(f.Context())
	require.NoError(f, err)

	work := make(map[string]store.Work)
	for _, w := range list {
		work[w.Service] = w
	}

	return work
}

// requireStatus checks what the funnel makes of an error.
func requireStatus(t *testing.T, err error, code codes.Code, reason tidemarkv1.ErrorReason) *status.Status {
	t.Helper()
	require.Error(t, err)

	visible, hidden := rpcerror.From(err)
	require.False(t, hidden, err)

	return checkStatus(t, visible.GRPCStatus(), code, reason)
}

func checkStatus(t *testing.T, st *status.Status, code codes.Code, reason tidemarkv1.ErrorReason) *status.Status {
	t.Helper()
	require.Equal(t, code, st.Code(), st)

	info, is := st.Details()[0].(*errdetails.ErrorInfo)
	require.True(t, is)
	require.Equal(t, rpcerror.ReasonName(reason), info.GetReason())

	return st
}
