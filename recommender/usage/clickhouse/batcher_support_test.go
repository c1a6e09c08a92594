package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// fakeReader takes a while for each read and remembers what it was asked for.
type fakeReader struct {
	readings

	takes time.Duration
	fails error
	leave string // a service that it leaves out

	mu sync.Mutex
}

// readings are what a fakeReader was asked to do.
type readings struct {
	reads        [][]string
	requests     []usage.Request
	at           []time.Time
	running, top int
	ended        []error // how the context of each read stood at its end
}

func (f *fakeReader) look() readings {
	f.mu.Lock()
	defer f.mu.Unlock()

	seen := f.readings
	seen.reads, seen.at, seen.ended = slices.Clone(f.reads), slices.Clone(f.at), slices.Clone(f.ended)
	seen.requests = slices.Clone(f.requests)

	return seen
}

func (f *fakeReader) Read(
	ctx context.Context, services []string, request usage.Request,
) (map[string]usage.Snapshot, error) {
	f.begin(services, request)

	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	f.running--
	f.ended = append(f.ended, ctx.Err())

	if err := errors.Join(f.fails, ctx.Err()); err != nil {
		return nil, err
	}

	snapshots := map[string]usage.Snapshot{}

	for _, service := range services {
		if service != f.leave {
			snapshots[service] = usage.Snapshot{Service: service, Windows: make([]usage.Window, len(request.Windows))}
		}
	}

	return snapshots, nil
}

func (f *fakeReader) begin(services []string, request usage.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.reads = append(f.reads, slices.Clone(services))
	f.requests = append(f.requests, request)
	f.at = append(f.at, time.Now())
	f.running++
	f.top = max(f.top, f.running)
}

// asking is a caller that waits for a snapshot.
type asking struct {
	cancel context.CancelFunc
	done   chan error
}

// twoWindows is what is asked for where nothing else is said.
var twoWindows = usage.Request{Windows: []time.Duration{3 * time.Hour, 30 * time.Hour}}

func ask(b *Batcher, service string) asking { return askFor(b, service, twoWindows) }

func askFor(b *Batcher, service string, request usage.Request) asking {
	ctx, cancel := context.WithCancel(context.Background())
	a := asking{cancel: cancel, done: make(chan error, 1)}

	go func() {
		snapshot, err := b.Snapshot(ctx, service, request)
		if err == nil && (snapshot.Service != service || len(snapshot.Windows) != len(request.Windows)) {
			err = fmt.Errorf("asked for %s, got %+v", service, snapshot)
		}

		a.done <- err
	}()

	synctest.Wait()

	return a
}

// bubble runs a test with a batcher in a synctest bubble.
func bubble(t *testing.T, reader *fakeReader, test func(t *testing.T, b *Batcher)) {
	t.Helper()

	synctest.Test(t, func(t *testing.T) {
		b := NewBatcher(DefaultBatcherConfig(), reader)
		defer b.Close()

		test(t, b)
	})
}

func (f *fakeReader) expect(t *testing.T, want ...[]string) {
	t.Helper()

	if diff := cmp.Diff(want, f.look().reads); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
}
