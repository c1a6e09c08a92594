package clickhouse

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestServersClockIsFarOff(t *testing.T) {
	for _, skew := range []time.Duration{-3 * time.Hour, -5 * time.Second, 5 * time.Second, 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			store, sink := &fakeStore{skew: skew}, &fakeSink{}
			source := newFakeSource(DefaultConfig(), store)
			defer run(t, source, sink)()

			for i := range 40 {
				store.arrive(fmt.Sprintf("a/s%d", i), "m", 1, 0)
				wait(3 * time.Second)
			}

			stats := source.Stats()
			if stats.Signals != 40 || stats.Stale != 0 || (stats.ClockOffset-skew).Abs() > time.Second {
				t.Errorf("skew %s: %+v", skew, stats)
			}
		})
	}
}

func TestServersClockGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		n := 0
		signals := func() {
			for range 20 {
				store.arrive(fmt.Sprintf("a/s%d", n), "m", 1, 0)
				wait(time.Second)

				n++
			}
		}

		signals()
		store.set(func(f *fakeStore) { f.skew -= 2 * time.Minute })
		signals()

		if stats := source.Stats(); stats.Stale == 0 || stats.Overlap <= DefaultConfig().Overlap {
			t.Errorf("not noticed: %+v", stats)
		}

		// While nobody looks the step cannot be seen in the clock alone.
		store.set(func(f *fakeStore) { f.fails, f.skew = errors.New("away"), f.skew-2*time.Minute })
		signals()
		wait(10 * time.Minute)
		store.set(func(f *fakeStore) { f.fails = nil })
		wait(time.Minute)
		signals()
		wait(time.Minute)

		if len(sink.seen()) != n {
			t.Errorf("got %d requests, want %d", len(sink.seen()), n)
		}

		wait(20 * time.Minute)

		if stats := source.Stats(); stats.Overlap != DefaultConfig().Overlap {
			t.Errorf("the overlap stays %s", stats.Overlap)
		}
	})
}

func TestServerThatLags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer

		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		source.logger = slog.New(slog.NewTextHandler(&log, nil))
		defer run(t, source, sink)()

		for i := range 120 {
			if i == 30 {
				store.set(func(f *fakeStore) { f.lost = 25 * time.Second })
			}

			if i == 60 {
				store.set(func(f *fakeStore) { f.lost = 0 })
			}

			store.arrive(fmt.Sprintf("a/s%d", i), "m", 1, 0)
			wait(time.Second)
		}

		wait(time.Minute)

		if stats := source.Stats(); len(sink.seen()) != 120 || stats.Stale == 0 {
			t.Errorf("got %d requests, stats %+v", len(sink.seen()), stats)
		}

		if strings.Count(log.String(), "is behind,") != 1 || strings.Count(log.String(), "not behind any more") != 1 {
			t.Errorf("unexpected log:\n%s", log.String())
		}
	})
}
