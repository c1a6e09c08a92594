package clickhouse

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOutageOfClickHouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer

		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		source.logger = slog.New(slog.NewTextHandler(&log, nil))
		defer run(t, source, sink)()

		store.arrive("a/before", "m", 1, 0)
		wait(time.Minute)
		store.set(func(f *fakeStore) { f.fails = errors.New("connection refused") })

		for i := range 40 {
			store.arrive(fmt.Sprintf("a/s%02d", i), "m", 1, 0)
			wait(time.Minute)
		}

		if source.Stats().Failures < 40 || len(sink.seen()) != 1 {
			t.Fatalf("unexpected %+v, %v", source.Stats(), sink.seen())
		}

		store.set(func(f *fakeStore) { f.fails, f.reads = nil, nil })
		wait(time.Minute)

		if len(sink.seen()) != 41 {
			t.Errorf("got %d requests, want 41", len(sink.seen()))
		}

		for _, r := range store.reads {
			if span := r.to.Sub(r.from); span > DefaultConfig().MaxWindow+DefaultConfig().Overlap+2*time.Second {
				t.Errorf("one query covers %s", span)
			}
		}

		if lines := strings.Count(log.String(), "\n"); lines != 2 {
			t.Errorf("want one line when it goes and one when it is back:\n%s", log.String())
		}
	})
}

func TestOutageLongerThanRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer

		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		source.logger = slog.New(slog.NewTextHandler(&log, nil))
		defer run(t, source, sink)()

		wait(time.Minute)
		store.set(func(f *fakeStore) { f.fails = errors.New("connection refused") })
		wait(60 * time.Hour)
		store.arrive("a/b", "m", 1, 0)
		store.set(func(f *fakeStore) { f.fails, f.reads = nil, nil })
		wait(time.Minute)

		if len(sink.seen()) != 1 || len(store.reads) > 50 || !strings.Contains(log.String(), "expired") {
			t.Errorf("%d reads, saw %v, log:\n%s", len(store.reads), sink.seen(), log.String())
		}
	})
}

func TestOutageOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		source := newFakeSource(DefaultConfig(), store)
		defer run(t, source, sink)()

		wait(10 * time.Second)
		sink.setDown(true)

		want := make([]string, 0, 30)
		for i := range 30 {
			want = append(want, fmt.Sprintf("a/s%02d m=1", i))
			store.arrive(fmt.Sprintf("a/s%02d", i), "m", 1, 0)
			wait(30 * time.Second)
		}

		if stats := source.Stats(); stats.Signals != 0 || time.Since(stats.Watermark) < 10*time.Minute {
			t.Errorf("moved on without delivery: %+v", stats)
		}

		sink.setDown(false)
		wait(time.Minute)

		got := sink.seen()
		slices.Sort(got)

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		if stats := source.Stats(); stats.Missed < 400 {
			t.Errorf("missed polls are not counted: %+v", stats)
		}
	})
}
