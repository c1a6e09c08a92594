package worker

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/server/queue"
	"github.com/tidemark-project/tidemark/server/store"
)

// fixture is a pool at work on a queue and a store of its own.
type fixture struct {
	*testing.T

	queue       *queue.Queue
	store       *busyStore
	usage       *fakeUsage
	recommender *fakeRecommender
	sizing      *fakeSizing
	observer    *countingObserver
	log         *logBuffer
	ctx         context.Context
	cancel      context.CancelFunc
	ended       chan error
}

var discard = slog.New(slog.DiscardHandler)

// logBuffer is a log that tests read.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.text.Write(line)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.text.String()
}

// start returns a pool at work; it is stopped when the test ends. Backoff has no jitter: it is always the longest.
func start(t *testing.T, change ...func(*Config)) *fixture {
	t.Helper()

	return startOn(t, nil, change...)
}

// startOn is start with something between the pool and the store.
func startOn(t *testing.T, between func(*store.Memory) store.Store, change ...func(*Config)) *fixture {
	t.Helper()

	queueConfig := queue.Default()
	queueConfig.Breaker.Dependencies = Dependencies()
	queueConfig.Rand = func(n int64) int64 { return n - 1 }

	q, err := queue.New(queueConfig)
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	f := &fixture{
		T: t, queue: q, store: &busyStore{Memory: store.NewMemory()}, usage: &fakeUsage{},
		recommender: &fakeRecommender{}, observer: &countingObserver{count: make(map[string]int)},
		log: &logBuffer{}, ctx: ctx, cancel: cancel, ended: make(chan error, 1),
	}
	f.recommender.need(2000)
	f.sizing = newFakeSizing(f.recommender)

	config := DefaultConfig()
	for _, c := range change {
		c(&config)
	}

	require.NoError(t, config.Validate())

	logger := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))

	var st store.Store = f.store
	if between != nil {
		st = between(f.store.Memory)
	}

	pool := New(config, q, st, Sources{
		Usage: f.usage, Inventory: f.sizing, Policies: f.sizing, Advisor: f.sizing,
	}, f.observer, logger)

	go func() { f.ended <- pool.Run(ctx) }()

	t.Cleanup(func() {
		q.Close()
		cancel()

		if err := <-f.ended; err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	})

	return f
}

var testPolicy = policy.Policy{Name: "test", Hash: "h1"}

// enqueue accepts work and puts it into the queue, as the API does.
func (f *fixture) enqueue(service string, trigger queue.Trigger) int64 {
	f.Helper()

	revision, err := f.store.Accept(f.Context(), []store.Work{{Service: service, Accepted: time.Now(), Observed: time.Now()}})
	require.NoError(f, err)

	_, err = f.queue.Enqueue(&queue.Request{
		Service: service, Trigger: trigger, Source: "test", Detail: "rejections=3", Revision: revision,
	})
	require.NoError(f, err)

	return revision
}

func (f *fixture) recommendation(service string) *tidemarkv1.Recommendation {
	f.Helper()

	record, err := f.store.Get(f.Context(), service)
	require.NoError(f, err)

	return record.Recommendation
}

// waitingWork is the work that the store still holds.
func (f *fixture) waitingWork() []store.Work {
	f.Helper()

	work, err := f.store.Work(f.Context())
	require.NoError(f, err)

	return work
}
