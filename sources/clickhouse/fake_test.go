package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// fakeStore is a table in memory. Its clock runs with the test's, shifted by skew and cut to seconds.
type fakeStore struct {
	mu    sync.Mutex
	rows  []fakeRow
	skew  time.Duration
	fails error
	slow  time.Duration // how long a read takes
	lost  time.Duration // rows that arrived less than this ago are not visible: the server lags
	reads []reading
}

// fakeRow is a row that can be seen from some time of the server on.
type fakeRow struct {
	row

	visible time.Time
}

func (f *fakeStore) now() time.Time { return time.Now().Add(f.skew).UTC().Truncate(time.Second) }

func (f *fakeStore) clock(context.Context) (time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.now(), f.fails
}

func (f *fakeStore) read(ctx context.Context, from, to time.Time, visit func(row)) (time.Time, error) {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()

	if err := sleep(ctx, slow); err != nil {
		return time.Time{}, err
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	if f.fails != nil {
		return time.Time{}, f.fails
	}

	exact := time.Now().Add(f.skew)
	f.reads = append(f.reads, reading{from: from, to: to, now: f.now()})

	for _, r := range f.rows {
		if !r.arrival.Before(from) && !r.arrival.After(to) && !r.visible.After(time.Now()) &&
			(f.lost == 0 || r.arrival.Before(exact.Add(-f.lost))) {
			visit(r.row)
		}
	}

	return f.now(), nil
}

// arrive adds a row that arrives now and can be seen after late.
func (f *fakeStore) arrive(service, metric string, value float64, late time.Duration) signal {
	f.mu.Lock()
	defer f.mu.Unlock()

	now := time.Now()
	s := newSignal(service, metric, value, now)
	f.rows = append(f.rows, fakeRow{row{s, now.Add(f.skew).UTC().Truncate(time.Millisecond)}, now.Add(late)})

	return s
}

func (f *fakeStore) set(change func(*fakeStore)) {
	f.mu.Lock()
	defer f.mu.Unlock()

	change(f)
}

// fakeSink takes everything, or nothing while it is down.
type fakeSink struct {
	mu       sync.Mutex
	down     bool
	requests []*tidemarkv1.EnqueueRequest
}

var errSinkDown = errors.New("the server is away")

func (f *fakeSink) BatchEnqueue(
	_ context.Context, requests []*tidemarkv1.EnqueueRequest,
) ([]*tidemarkv1.EnqueueResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.down {
		return nil, errSinkDown
	}

	f.requests = append(f.requests, requests...)

	results := make([]*tidemarkv1.EnqueueResult, len(requests))
	for i, request := range requests {
		results[i] = &tidemarkv1.EnqueueResult{Result: &tidemarkv1.EnqueueResult_Response{
			Response: &tidemarkv1.EnqueueResponse{
				Service: request.GetService(), Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED,
			},
		}}
	}

	return results, nil
}

func (f *fakeSink) setDown(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.down = down
}

// seen returns "service detail" of all requests, in order.
func (f *fakeSink) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()

	seen := make([]string, 0, len(f.requests))
	for _, request := range f.requests {
		seen = append(seen, fmt.Sprintf("%s %s", request.GetService(), request.GetDetail()))
	}

	return seen
}

func newFakeSource(config Config, store store) *Source {
	source := New(config, nil, slog.New(slog.DiscardHandler))
	source.store = store

	return source
}

// signallingSink tells when something has come.
type signallingSink struct {
	fakeSink

	arrived chan<- struct{}
}

func (s *signallingSink) BatchEnqueue(
	ctx context.Context, requests []*tidemarkv1.EnqueueRequest,
) ([]*tidemarkv1.EnqueueResult, error) {
	results, err := s.fakeSink.BatchEnqueue(ctx, requests)
	s.arrived <- struct{}{}

	return results, err
}
