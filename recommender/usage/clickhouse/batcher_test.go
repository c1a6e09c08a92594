package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestSingleCallerDoesNotWait(t *testing.T) {
	reader := &fakeReader{}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		start := time.Now()

		for range 2 {
			if _, err := b.Snapshot(t.Context(), "a/b", twoWindows); err != nil {
				t.Error(err)
			}
		}

		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %s", waited)
		}

		reader.expect(t, []string{"a/b"}, []string{"a/b"})
	})
}

func TestCallersShareARead(t *testing.T) {
	reader := &fakeReader{takes: 3 * time.Millisecond}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		start := time.Now()
		all := []asking{ask(b, "a/1"), ask(b, "a/2"), ask(b, "a/3"), ask(b, "a/2")}

		for _, a := range all {
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		}

		reader.expect(t, []string{"a/1"}, []string{"a/2", "a/3"})

		// The second batch was not due yet when the first read ended; but then nothing was under way any more.
		if took := time.Since(start); took != 6*time.Millisecond {
			t.Errorf("took %s", took)
		}
	})
}

func TestBatchIsDueAfterAShortTime(t *testing.T) {
	reader := &fakeReader{takes: time.Second}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		start := time.Now()
		first := ask(b, "a/1")
		second := ask(b, "a/2")

		<-time.After(4 * time.Millisecond)

		third := ask(b, "a/3")

		for _, a := range []asking{first, second, third} {
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		}

		reader.expect(t, []string{"a/1"}, []string{"a/2", "a/3"})

		if waited := reader.look().at[1].Sub(start); waited != 5*time.Millisecond {
			t.Errorf("the second batch started after %s", waited)
		}
	})
}

func TestFullBatchIsDueAtOnce(t *testing.T) {
	reader := &fakeReader{takes: time.Second}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		all := append(make([]asking, 0, 251), ask(b, "a/first"))
		for i := range 250 {
			all = append(all, ask(b, fmt.Sprintf("a/s%d", i)))
		}

		if len(reader.look().reads) != 2 || len(reader.look().reads[1]) != 200 || !reader.look().at[1].Equal(reader.look().at[0]) {
			t.Errorf("%d reads at %v", len(reader.look().reads), reader.look().at)
		}

		for _, a := range all {
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		}

		if len(reader.look().reads) != 3 || reader.look().top != 2 {
			t.Errorf("%d reads, %d at once", len(reader.look().reads), reader.look().top)
		}
	})
}

func TestDueBatchGoesOnCollecting(t *testing.T) {
	reader := &fakeReader{takes: time.Second}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		all := []asking{ask(b, "a/1"), ask(b, "a/2")}

		<-time.After(10 * time.Millisecond) // two reads are under way now

		for i := 3; i < 8; i++ {
			all = append(all, ask(b, fmt.Sprintf("a/%d", i)))

			<-time.After(10 * time.Millisecond)
		}

		for _, a := range all {
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		}

		reader.expect(t, []string{"a/1"}, []string{"a/2"}, []string{"a/3", "a/4", "a/5", "a/6", "a/7"})
	})
}

func TestCancelledCallerLeavesTheOthersAlone(t *testing.T) {
	reader := &fakeReader{takes: time.Second}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		busy := ask(b, "a/busy")
		stays, waits := ask(b, "a/stays"), ask(b, "a/waits")

		waits.cancel()

		if err := <-waits.done; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "a/waits") {
			t.Errorf("the caller that left got %v", err)
		}

		<-time.After(10 * time.Millisecond) // it is read now

		runs := ask(b, "a/stays")
		runs.cancel()

		if err := <-runs.done; !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that left got %v", err)
		}

		if err := errors.Join(<-stays.done, <-busy.done); err != nil {
			t.Error(err)
		}
	})
}

func TestAbandonedReadIsCancelled(t *testing.T) {
	reader := &fakeReader{takes: time.Hour}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		start := time.Now()
		running, waiting := ask(b, "a/running"), ask(b, "a/waiting")

		// One after the other: the end of the running read would start the waiting one.
		for _, caller := range []asking{waiting, running} {
			caller.cancel()

			if err := <-caller.done; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}

		synctest.Wait()

		if len(reader.look().ended) != 1 || reader.look().ended[0] == nil || time.Since(start) > time.Minute {
			t.Errorf("the read was not cancelled: %v", reader.look().ended)
		}

		// Nobody waited for the second batch, so it is not read.
		<-time.After(time.Second)
		reader.expect(t, []string{"a/running"})
	})
}

func TestFailedReadFailsItsCallers(t *testing.T) {
	broken := errors.New("broken")
	reader := &fakeReader{takes: time.Second, fails: broken}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		for _, a := range []asking{ask(b, "a/1"), ask(b, "a/2"), ask(b, "a/3")} {
			if err := <-a.done; !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestServiceThatIsLeftOut(t *testing.T) {
	bubble(t, &fakeReader{leave: "a/b"}, func(t *testing.T, b *Batcher) {
		t.Helper()

		if _, err := b.Snapshot(t.Context(), "a/b", twoWindows); err == nil || !strings.Contains(err.Error(), "a/b") {
			t.Errorf("got %v", err)
		}
	})
}

func TestClosedBatcher(t *testing.T) {
	bubble(t, &fakeReader{takes: time.Hour}, func(t *testing.T, b *Batcher) {
		t.Helper()

		running, waiting := ask(b, "a/running"), ask(b, "a/waiting")
		b.Close()

		_, err := b.Snapshot(t.Context(), "a/late", twoWindows)
		for _, err := range []error{<-running.done, <-waiting.done, err} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestManyWorkers has workers ask, leave and ask again, in real threads, and looks at what each gets.
func TestManyWorkers(t *testing.T) {
	reader := &fakeReader{takes: 10 * time.Millisecond}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		var workers sync.WaitGroup

		for worker := range 64 {
			workers.Go(func() {
				for i := range 50 {
					service := fmt.Sprintf("w%d/s%d", worker, i)

					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(5+(worker+i)%40)*time.Millisecond)

					snapshot, err := b.Snapshot(ctx, service, twoWindows)
					if err == nil && snapshot.Service != service || err != nil && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("asked for %s, got %q, %v", service, snapshot.Service, err)
					}

					cancel()
				}
			})
		}

		workers.Wait()

		if len(reader.look().reads) > 1600 || reader.look().top > 2 {
			t.Errorf("%d reads for 3200 calls, %d at once", len(reader.look().reads), reader.look().top)
		}
	})
}

func TestBatcherConfigValidate(t *testing.T) {
	good := DefaultBatcherConfig()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}

	bad := BatcherConfig{MaxWait: -1}

	err := bad.Validate()
	for _, word := range []string{"usage-batch-wait", "usage-batch-services", "usage-batch-reads"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not name %s", err, word)
		}
	}
}

// Callers that ask for something else cannot share a read, and do not wait for each other either.
func TestCallersWithDifferentRequests(t *testing.T) {
	other := usage.Request{Windows: twoWindows.Windows, Totals: true}

	reader := &fakeReader{takes: time.Second}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		all := append(make([]asking, 0, 6), ask(b, "a/1"), ask(b, "a/2"))

		<-time.After(time.Millisecond)

		all = append(all, askFor(b, "a/3", other), ask(b, "a/4"), askFor(b, "a/2", other),
			askFor(b, "a/5", usage.Request{Windows: twoWindows.Windows}))

		for _, a := range all {
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		}

		reader.expect(t, []string{"a/1"}, []string{"a/2", "a/4", "a/5"}, []string{"a/3", "a/2"})

		if diff := cmp.Diff([]usage.Request{twoWindows, twoWindows, other}, reader.look().requests); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}

		if top := reader.look().top; top != 2 {
			t.Errorf("%d reads at once", top)
		}
	})
}

// A batch that is full is due, though an older one of another request still collects.
func TestFullBatchDoesNotWaitForAnotherRequest(t *testing.T) {
	reader := &fakeReader{takes: time.Second}
	bubble(t, reader, func(t *testing.T, b *Batcher) {
		t.Helper()

		all := append(make([]asking, 0, 202), ask(b, "a/first"), askFor(b, "a/other", usage.Request{}))
		for i := range 200 {
			all = append(all, ask(b, fmt.Sprintf("a/s%d", i)))
		}

		if reads := reader.look().reads; len(reads) != 2 || len(reads[1]) != 200 {
			t.Errorf("%d reads", len(reads))
		}

		for _, a := range all {
			if err := <-a.done; err != nil {
				t.Error(err)
			}
		}
	})
}
