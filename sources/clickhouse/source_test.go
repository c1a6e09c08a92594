package clickhouse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// run runs a source in the background of a synctest bubble and returns what stops it.
func run(t *testing.T, source *Source, sink *fakeSink) (stop func()) {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() { done <- source.Run(ctx, sink) }()

	// Let the first poll happen: what the server's clock did before it nobody can know.
	synctest.Wait()

	return func() {
		cancel()

		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
	}
}

// wait lets fake time pass and then everything settle.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestSignalIsDeliveredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		wait(time.Minute)
		store.arrive("a/b", "memory_rejections", 12, 0)
		wait(2 * time.Second)

		if diff := cmp.Diff([]string{"a/b memory_rejections=12"}, sink.seen()); diff != "" {
			t.Fatalf("after one poll (-want +got):\n%s", diff)
		}

		wait(20 * time.Minute)

		if len(sink.seen()) != 1 {
			t.Errorf("delivered again: %v", sink.seen())
		}

		stats := source.Stats()
		if stats.Signals != 1 || stats.Duplicates == 0 || stats.Missed != 0 || stats.Polls < 600 || stats.Remembered != 0 {
			t.Errorf("unexpected stats %+v", stats)
		}
	})
}

func TestSignalsOfOneServiceAreOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		first := store.arrive("a/b", "memory_rejections", 2, 0)

		wait(100 * time.Millisecond)

		for _, s := range []struct {
			service, metric string
			value           float64
		}{
			{"a/b", "memory_rejections", 3},
			{"a/b", "oom_kill_resident_bytes", 5e9},
			{"a/b", "oom_kill_resident_bytes", 4e9},
			{"a/b", "cpu_throttled_seconds", 1.25},
			{"a/a", "memory_rejections", 1},
			{"a/b", "odd", math.NaN()},
		} {
			store.arrive(s.service, s.metric, s.value, 0)
		}

		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		wait(time.Minute)

		want := []string{
			"a/a memory_rejections=1",
			"a/b cpu_throttled_seconds=1.25 memory_rejections=5 odd=NaN oom_kill_resident_bytes=5000000000",
		}
		if diff := cmp.Diff(want, sink.seen()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}

		request := sink.requests[1]
		if request.GetObservedTime().AsTime().UnixMilli() != first.scrapeMillis {
			t.Errorf("observed at %s, want the earliest scrape", request.GetObservedTime().AsTime())
		}

		if request.GetSource() != "clickhouse" || request.GetTrigger().String() != "TRIGGER_SIGNAL" {
			t.Errorf("unexpected %v", request)
		}
	})
}

func TestLookbackAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		store.arrive("a/old", "m", 1, 0)
		wait(2 * time.Second)
		store.arrive("a/recent", "m", 1, 0)
		wait(5*time.Minute - time.Second)

		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		wait(5 * time.Minute)

		if diff := cmp.Diff([]string{"a/recent m=1"}, sink.seen()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestLateRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		for i := range 60 {
			store.arrive(fmt.Sprintf("late/s%d", i), "m", 1, 30*time.Second)
			store.arrive(fmt.Sprintf("now/s%d", i), "m", 1, 0)
			wait(700 * time.Millisecond)
		}

		wait(time.Minute)

		if seen := sink.seen(); len(seen) != 120 {
			t.Errorf("got %d of 120", len(seen))
		}
	})
}

func TestSlowReadsDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{slow: 5 * time.Second}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		wait(20*time.Second + time.Millisecond)

		// Polls start every 5 s; the slot of 2 s is late and the one of 4 s is missed.
		if stats := source.Stats(); stats.Polls != 5 || stats.Missed != 4 {
			t.Errorf("unexpected %+v", stats)
		}
	})
}

func TestRowsWithoutService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer

		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		source.logger = slog.New(slog.NewTextHandler(&log, nil))
		defer run(t, source, sink)()

		for range 10 {
			store.arrive("", "m", 1, 0)
			store.arrive("no-tenant", "m", 1, 0)
			store.arrive("a/b", "m", 1, 0)
			wait(3 * time.Second)
		}

		if stats := source.Stats(); len(sink.seen()) != 10 || stats.Invalid != 20 || stats.Signals != 10 {
			t.Errorf("saw %v, stats %+v", sink.seen(), stats)
		}

		if strings.Count(log.String(), "\n") != 1 {
			t.Errorf("unexpected log:\n%s", log.String())
		}
	})
}

func TestLongDetailIsCut(t *testing.T) {
	signals := map[signal]int64{}
	for i := range 40 {
		signals[newSignal("a/b", fmt.Sprintf("métrique_numéro_%d", i), 1, time.UnixMilli(0))] = 0
	}

	if detail := requests(signals)[0].GetDetail(); len([]rune(detail)) != 256 || !strings.HasSuffix(detail, "…") {
		t.Errorf("%d: %s", len([]rune(detail)), detail)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	const limit = 100

	m := newMemory(limit)

	for i := range 1000 {
		// Nine of ten share a second, as on a server that knows no less.
		arrival := time.Unix(int64(i/10*10), 0)
		s := newSignal(fmt.Sprintf("a/s%d", i), "m", 1, arrival)
		m.add(map[signal]int64{s: arrival.UnixMilli()})
		m.forget(time.Unix(0, 0))

		if len(m.arrival) > limit {
			t.Fatalf("%d signals are remembered", len(m.arrival))
		}

		if !m.knows(row{signal: s, arrival: arrival}) {
			t.Fatalf("the latest signal, %d, is forgotten", i)
		}
	}

	m.forget(time.Unix(995, 0))

	if len(m.arrival) != 0 {
		t.Errorf("%d signals from before the horizon are remembered", len(m.arrival))
	}
}

func TestConfigValidate(t *testing.T) {
	good := DefaultConfig()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}

	bad := Config{Overlap: time.Hour, MaxOverlap: time.Minute}

	err := bad.Validate()
	for _, word := range []string{"signals-table", "service-column", "poll-interval", "signals-max-overlap", "signals-max-remembered"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not name %s", err, word)
		}
	}
}

func TestFlagsDefault(t *testing.T) {
	var flags struct {
		Config Config `embed:""`
	}

	parser, err := kong.New(&flags)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}

	want := DefaultConfig()
	want.Database = ""

	if diff := cmp.Diff(want, flags.Config); diff != "" {
		t.Errorf("flags and DefaultConfig differ (-DefaultConfig +flags):\n%s", diff)
	}
}
