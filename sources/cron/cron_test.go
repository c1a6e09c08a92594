package cron

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// fleet is an inventory and a sink. The clock of the source it makes can be set.
type fleet struct {
	mu       sync.Mutex
	services []string
	listing  error // why the inventory cannot be read
	sinking  error // why the sink takes nothing
	enqueued []*tidemarkv1.EnqueueRequest
	offset   time.Duration // of the wall clock
}

func newFleet(count int) *fleet {
	f := &fleet{}
	for i := range count {
		f.services = append(f.services, fmt.Sprintf("prod/db-%d", i))
	}

	return f
}

func (f *fleet) Services(_ context.Context, _ *tidemarkv1.ListServicesRequest) iter.Seq2[*tidemarkv1.Service, error] {
	return func(yield func(*tidemarkv1.Service, error) bool) {
		f.mu.Lock()
		defer f.mu.Unlock()

		for i, service := range f.services {
			// It breaks in the middle, as a list of pages does.
			if f.listing != nil && i == len(f.services)/2 {
				yield(nil, f.listing)

				return
			}

			if !yield(&tidemarkv1.Service{Service: service}, nil) {
				return
			}
		}
	}
}

func (f *fleet) BatchEnqueue(
	_ context.Context, requests []*tidemarkv1.EnqueueRequest,
) ([]*tidemarkv1.EnqueueResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.sinking != nil {
		return nil, f.sinking
	}

	f.enqueued = append(f.enqueued, requests...)

	return make([]*tidemarkv1.EnqueueResult, len(requests)), nil
}

func (f *fleet) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()

	return time.Now().Add(f.offset)
}

// set changes the fleet from within a test.
func (f *fleet) set(change func(f *fleet)) {
	f.mu.Lock()
	defer f.mu.Unlock()

	change(f)
}

// taken returns what was enqueued since the last call.
func (f *fleet) taken() []*tidemarkv1.EnqueueRequest {
	f.mu.Lock()
	defer f.mu.Unlock()

	taken := f.enqueued
	f.enqueued = nil

	return taken
}

// perService counts requests by service.
func perService(requests []*tidemarkv1.EnqueueRequest) map[string]int {
	counts := make(map[string]int)
	for _, request := range requests {
		counts[request.GetService()]++
	}

	return counts
}

// sweeping runs a source until the bubble ends.
func sweeping(t *testing.T, f *fleet, config Config) *Source {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	config.Inventory, config.Now = f, f.now
	source := New(config, slog.New(slog.DiscardHandler))
	done := make(chan error, 1)

	go func() { done <- source.Run(ctx, f) }()

	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})

	return source
}

// pass lets fake time go by.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestEveryServiceRunsInItsSlot(t *testing.T) {
	t.Parallel()

	f := newFleet(500)
	synctest.Test(t, func(t *testing.T) {
		source := sweeping(t, f, Config{})
		start := time.Now()

		pass(30 * time.Minute)

		taken := f.taken()
		require.Len(t, taken, 1500)
		require.Zero(t, source.Skipped())

		for service, count := range perService(taken) {
			require.Equal(t, 3, count, service)
		}

		for i, request := range taken {
			slot := request.GetObservedTime().AsTime()
			require.Equal(t, tidemarkv1.Trigger_TRIGGER_PERIODIC, request.GetTrigger())
			require.Equal(t, "cron", request.GetSource())
			require.EqualValues(t, Slot(request.GetService(), 10*time.Minute), slot.UnixNano()%int64(10*time.Minute))
			require.True(t, slot.After(start))
			require.True(t, i == 0 || !slot.Before(taken[i-1].GetObservedTime().AsTime()))
		}
	})
}

func TestCatchUpEnqueuesEverythingAtOnceAndOnce(t *testing.T) {
	t.Parallel()

	f := newFleet(100)
	synctest.Test(t, func(t *testing.T) {
		sweeping(t, f, Config{CatchUp: true, Name: "sweep"})
		pass(time.Second)

		taken := f.taken()
		require.Len(t, perService(taken), 100)
		require.Len(t, taken, 100)
		require.Equal(t, "sweep", taken[0].GetSource())

		pass(10 * time.Minute)
		require.Len(t, f.taken(), 100)
	})
}

func TestServicesComeAndGo(t *testing.T) {
	t.Parallel()

	f := newFleet(10)
	synctest.Test(t, func(t *testing.T) {
		sweeping(t, f, Config{})
		pass(10 * time.Minute)
		f.set(func(f *fleet) { f.services = append(f.services[5:], "prod/new") })
		pass(time.Minute + time.Second)
		f.taken()
		pass(10 * time.Minute)

		counts := perService(f.taken())
		require.Len(t, counts, 6)
		require.Equal(t, 1, counts["prod/new"])
	})
}

func TestAfterAnOutageOnlyTheLatestSlotRuns(t *testing.T) {
	t.Parallel()

	f := newFleet(200)
	synctest.Test(t, func(t *testing.T) {
		source := sweeping(t, f, Config{})
		pass(10 * time.Minute)
		f.taken()

		down := status.Error(codes.Unavailable, "down")
		f.set(func(f *fleet) { f.listing, f.sinking = down, down })
		pass(55 * time.Minute)
		require.Empty(t, f.taken())

		f.set(func(f *fleet) { f.listing, f.sinking = nil, nil })
		pass(10 * time.Second)

		// The one that was being handed over when the outage began is handed over late, and once more for its latest slot.
		back := time.Now()
		taken := f.taken()
		counts := perService(taken)
		require.Len(t, counts, 200)
		require.LessOrEqual(t, len(taken), 210)

		for service, count := range counts {
			require.LessOrEqual(t, count, 2, service)
		}

		for _, request := range taken[len(taken)-200:] {
			require.Less(t, back.Sub(request.GetObservedTime().AsTime()), 10*time.Minute)
		}

		require.InDelta(t, 200*4.5, source.Skipped(), 110)
		pass(10 * time.Minute)
		require.Len(t, f.taken(), 200)
	})
}

func TestAServerThatIsNotUpYet(t *testing.T) {
	t.Parallel()

	f := newFleet(50)
	f.listing = status.Error(codes.Unavailable, "down")

	synctest.Test(t, func(t *testing.T) {
		sweeping(t, f, Config{})
		pass(5 * time.Minute)
		require.Empty(t, f.taken())
		f.set(func(f *fleet) { f.listing = nil })
		pass(5 * time.Minute)

		// What was due after the start runs late, what was due before it does not run.
		counts := perService(f.taken())
		require.Len(t, counts, 50)
	})
}

func TestTheClockIsSetForward(t *testing.T) {
	t.Parallel()

	f := newFleet(100)
	synctest.Test(t, func(t *testing.T) {
		source := sweeping(t, f, Config{})
		pass(10 * time.Minute)
		f.taken()
		f.set(func(f *fleet) { f.offset += 24 * time.Hour })
		pass(2 * time.Second)

		taken := f.taken()
		require.Len(t, taken, len(perService(taken)), "each service at most once")
		require.Len(t, taken, 100)
		require.InDelta(t, 143*100, source.Skipped(), 1)

		pass(10*time.Minute - 2*time.Second)

		for service, count := range perService(f.taken()) {
			require.LessOrEqual(t, count, 1, service)
		}
	})
}

func TestTheClockIsSetBack(t *testing.T) {
	t.Parallel()

	f := newFleet(100)
	synctest.Test(t, func(t *testing.T) {
		sweeping(t, f, Config{})
		pass(15 * time.Minute)

		slots := make(map[string]bool)
		for _, request := range f.taken() {
			slots[request.GetService()+request.GetObservedTime().AsTime().String()] = true
		}

		f.set(func(f *fleet) { f.offset -= 5 * time.Minute })
		pass(15 * time.Minute)

		taken := f.taken()
		require.Len(t, taken, 100, "10 of the 15 minutes are new")

		for _, request := range taken {
			require.False(t, slots[request.GetService()+request.GetObservedTime().AsTime().String()])
		}
	})
}

func TestTheClockIsSetBackByFar(t *testing.T) {
	t.Parallel()

	f := newFleet(100)
	synctest.Test(t, func(t *testing.T) {
		sweeping(t, f, Config{})
		pass(10 * time.Minute)
		f.taken()
		f.set(func(f *fleet) { f.offset -= 24 * time.Hour })
		pass(10*time.Minute + time.Second)

		// Nobody waits a day for the clock to come back to where it was.
		require.Len(t, perService(f.taken()), 100)
	})
}

func TestAnInventoryThatIsRefusedEndsTheSource(t *testing.T) {
	t.Parallel()

	f := newFleet(2)
	f.listing = status.Error(codes.PermissionDenied, "no")
	source := New(Config{Inventory: f}, slog.New(slog.DiscardHandler))

	err := source.Run(t.Context(), f)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.ErrorContains(t, err, "read the inventory: ")
}

func TestTheClientIsInventoryAndSink(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := tidemarktest.New()
		defer server.Close()

		client := server.Dial()
		defer func() { require.NoError(t, client.Close()) }()

		server.SetServices(&tidemarkv1.Service{Service: "prod/a"}, &tidemarkv1.Service{Service: "dev/b"})

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()

		source := New(Config{
			Inventory: client, Select: &tidemarkv1.ListServicesRequest{Tenant: "prod"},
		}, slog.New(slog.DiscardHandler))
		require.ErrorIs(t, source.Run(ctx, client), context.DeadlineExceeded)
		require.Equal(t, map[string]int{"prod/a": 1}, perService(server.Enqueued()))
	})
}
