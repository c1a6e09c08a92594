package queue_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/server/queue"
)

// TestMachine has the queue and the model do the same and compares all that can be seen of them after each step.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			m := newMachine(t)
			defer m.queue.Close()

			t.Repeat(map[string]func(*rapid.T){
				"enqueue":  m.enqueue,
				"enqueue2": m.enqueue,
				"get":      m.get,
				"get2":     m.get,
				"succeed":  m.succeed,
				"retry":    m.retry,
				"retry2":   m.retry,
				"fail":     m.fail,
				"release":  m.release,
				"stray":    m.stray,
				"forget":   m.forget,
				"postpone": m.postpone,
				"wait":     m.wait,
				"": func(t *rapid.T) {
					m.compare(t)
					m.tick(0)
				},
			})
		})
	})
}

type machine struct {
	queue  *queue.Queue
	model  *model
	leases map[string]*queue.Lease
	ended  []*queue.Lease
	// jitter is the share of the longest delay that is taken next, in quarters.
	jitter int64
}

func newMachine(t *rapid.T) *machine {
	m := &machine{leases: make(map[string]*queue.Lease)}
	cfg := queue.Config{
		Slack:        queue.Slack{Signal: 0, Manual: time.Second, Periodic: 20 * time.Second},
		Backoff:      queue.Backoff{Base: time.Second, Cap: 5 * time.Second},
		Breaker:      queue.Default().Breaker,
		BackoffLimit: 3,
		MaxItems:     10,
		RetryAfter:   time.Second,
		Rand:         func(n int64) int64 { return m.part(n) },
	}

	q, err := queue.New(cfg)
	if err != nil {
		t.Fatal(err)
	}

	m.queue, m.model = q, newModel(cfg)

	return m
}

// tick lets a moment pass, so that no two steps happen at the same time and no two delays end at the same time.
func (m *machine) tick(d time.Duration) {
	pass(d + 2)
	m.model.endDelays()
}

func (m *machine) part(n int64) int64 {
	return min(n-1, n*m.jitter/4)
}

var machineServices = []string{
	"a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "b/1", "b/2", "b/3", "c/1", "c/2", "d/1",
}

func service(t *rapid.T) string {
	return rapid.SampledFrom(machineServices).Draw(t, "service")
}

func (m *machine) enqueue(t *rapid.T) {
	r := queue.Request{
		Service:  service(t),
		Trigger:  rapid.SampledFrom(queue.Triggers()).Draw(t, "trigger"),
		Source:   rapid.SampledFrom([]string{"x", "y"}).Draw(t, "source"),
		Detail:   rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "detail"),
		Observed: time.Now().Add(-time.Duration(rapid.IntRange(0, 9).Draw(t, "age")) * time.Second),
		Revision: rapid.Int64Range(1, 1000).Draw(t, "revision"),
	}

	preview, previewErr := m.queue.Preview(r)
	got, err := m.queue.Enqueue(r)

	if preview != got || (previewErr == nil) != (err == nil) {
		t.Fatalf("Enqueue = %+v, %v; Preview = %+v, %v", got, err, preview, previewErr)
	}

	if m.model.items[r.Service] == nil && m.model.full(r.Trigger) {
		if !errors.Is(err, queue.ErrFull) {
			t.Fatalf("Enqueue: %v, want full", err)
		}

		return
	}

	want := m.model.enqueue(r)
	if err != nil || got.Outcome != want.Outcome || !got.Due.Equal(want.Due) || got.Attempts != want.Attempts {
		t.Fatalf("Enqueue = %+v, %v; want %+v", got, err, want)
	}
}

func (m *machine) get(t *rapid.T) {
	want := m.model.take()
	lease := m.queue.TryGet()

	if lease == nil {
		if len(want) > 0 {
			t.Fatalf("got nothing, want one of %v", want)
		}

		t.Skip("nothing ready")
	}

	if !slices.Contains(want, lease.Service()) {
		t.Fatalf("got %s, want one of %v", lease.Service(), want)
	}

	if m.leases[lease.Service()] != nil {
		t.Fatalf("%s runs twice", lease.Service())
	}

	m.model.handOut(lease.Service())
	m.leases[lease.Service()] = lease

	open := m.model.items[lease.Service()].lease
	if lease.Revision() != open.revision || lease.Attempts() != open.attempts ||
		!sameRecords(lease.Triggers(), open.wanted) {
		t.Fatalf("lease of %s: %d, %d, %+v; want %+v",
			lease.Service(), lease.Revision(), lease.Attempts(), lease.Triggers(), open)
	}
}

// end takes one of the open leases.
func (m *machine) end(t *rapid.T) *queue.Lease {
	if len(m.leases) == 0 {
		t.Skip("nothing runs")
	}

	service := rapid.SampledFrom(slices.Sorted(maps.Keys(m.leases))).Draw(t, "running")
	lease := m.leases[service]
	delete(m.leases, service)
	m.ended = append(m.ended, lease)

	return lease
}

func (m *machine) succeed(t *rapid.T) {
	lease := m.end(t)
	lease.Succeed()
	m.model.succeed(lease.Service())
}

func (m *machine) retry(t *rapid.T) {
	lease := m.end(t)
	m.jitter = rapid.Int64Range(0, 4).Draw(t, "jitter")

	again, gaveUp := lease.Retry(errors.New("trouble"))
	wantAgain, wantGaveUp := m.model.retry(lease.Service(), func(longest time.Duration) time.Duration {
		return time.Duration(m.part(int64(longest)) + 1)
	})

	if !again.Equal(wantAgain) || gaveUp != wantGaveUp {
		t.Fatalf("Retry = %v, %v; want %v, %v", again, gaveUp, wantAgain, wantGaveUp)
	}
}

func (m *machine) fail(t *rapid.T) {
	lease := m.end(t)
	lease.Fail(errors.New("fault"))
	m.model.fail(lease.Service())
}

func (m *machine) release(t *rapid.T) {
	lease := m.end(t)
	lease.Release()
	m.model.release(lease.Service())
}

func (m *machine) stray(t *rapid.T) {
	if len(m.ended) == 0 {
		t.Skip("nothing has ended")
	}

	lease := m.ended[rapid.IntRange(0, len(m.ended)-1).Draw(t, "ended")]

	switch rapid.IntRange(0, 3).Draw(t, "completion") {
	case 0:
		lease.Succeed()
	case 1:
		lease.Release()
	case 2:
		lease.Fail(nil)
	default:
		lease.Retry(nil)
	}

	m.model.stray++
}

func (m *machine) forget(t *rapid.T) {
	s := service(t)
	m.queue.Forget(s)
	m.model.forget(s)
}

func (m *machine) postpone(t *rapid.T) {
	s := service(t)
	until := time.Now().Add(time.Duration(rapid.IntRange(1, 40).Draw(t, "quarters")) * time.Second / 4)

	if got, want := m.queue.Postpone(s, until), m.model.postpone(s, until); got != want {
		t.Fatalf("Postpone = %v, want %v", got, want)
	}
}

func (m *machine) wait(t *rapid.T) {
	m.tick(time.Duration(rapid.IntRange(1, 40).Draw(t, "quarters")) * time.Second / 4)
}
