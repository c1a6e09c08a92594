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

// leastSteps is how many steps a run of the machine must take.
const leastSteps = 10_000

// TestMachine has the queue and the model do the same and compares all that can be seen of them after each step.
func TestMachine(t *testing.T) {
	seen := &walk{ways: make(map[way]int)}

	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			m := newMachine(t, seen)
			defer m.queue.Close()

			t.Repeat(m.actions())
		})
	})

	seen.check(t)
}

type machine struct {
	queue  *queue.Queue
	model  *model
	leases map[string]queue.Lease
	ended  []queue.Lease
	// revoked counts how often an open lease was revoked.
	revoked map[queue.Lease]int
	// jitter is the share of the longest delay that is taken next, in quarters.
	jitter int64
	seen   *walk
}

func newMachine(t *rapid.T, seen *walk) *machine {
	m := &machine{
		leases: make(map[string]queue.Lease), revoked: make(map[queue.Lease]int), seen: seen,
	}
	seen.states = nil

	cfg := queue.Config{
		Slack:   queue.Slack{Signal: 0, Manual: time.Second, Periodic: 20 * time.Second},
		Backoff: queue.Backoff{Base: time.Second, Cap: 5 * time.Second},
		Breaker: queue.BreakerConfig{
			Dependencies: rapid.SampledFrom([][]string{{usage}, {usage, records}, nil}).Draw(t, "dependencies"),
			Threshold:    2,
			Probe:        queue.Backoff{Base: time.Second, Cap: 3 * time.Second},
			RecoveryRate: 1,
			RecoveryTime: 15 * time.Second,
		},
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
	m.model.probeDelay = func(longest time.Duration) time.Duration {
		return longest - time.Duration(m.part(int64(longest)/2+1))
	}

	return m
}

// actions returns the steps; those that are named twice are taken more often.
func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"enqueue":      m.enqueue,
		"enqueue2":     m.enqueue,
		"get":          m.get,
		"get2":         m.get,
		"get3":         m.get,
		"succeed":      m.succeed,
		"retry":        m.retry,
		"fail":         m.fail,
		"release":      m.release,
		"unavailable":  m.unavailable,
		"outage":       m.outage,
		"stray":        m.stray,
		"forget":       m.forget,
		"postpone":     m.postpone,
		"retry now":    m.retryNow,
		"restore":      m.restore,
		"pause":        m.pause,
		"resume":       m.resume,
		"resume2":      m.resume,
		"rush":         m.rush,
		"trouble":      m.trouble,
		"list":         m.list,
		"dependencies": m.dependencies,
		"wait":         m.wait,
		"moment":       m.moment,
		"": func(t *rapid.T) {
			m.seen.steps++
			m.compare(t)
			m.tick(0)
		},
	}
}

// tick lets a moment pass, so that no two steps happen at the same time and no two delays end at the same time.
func (m *machine) tick(d time.Duration) {
	pass(d + 2)
	m.model.endDelays()
	m.model.settle()
	m.seen.note(m.model.breakers)
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

func request(t *rapid.T) queue.Request {
	return queue.Request{
		Service:  service(t),
		Trigger:  rapid.SampledFrom(queue.Triggers()).Draw(t, "trigger"),
		Source:   rapid.SampledFrom([]string{"x", "y"}).Draw(t, "source"),
		Detail:   rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "detail"),
		Observed: time.Now().Add(-time.Duration(rapid.IntRange(0, 9).Draw(t, "age")) * time.Second),
		Revision: rapid.Int64Range(1, 1000).Draw(t, "revision"),
	}
}

func (m *machine) enqueue(t *rapid.T) {
	r := request(t)

	preview, previewErr := m.queue.Preview(&r)
	got, err := m.queue.Enqueue(&r)

	if preview != got || (previewErr == nil) != (err == nil) {
		t.Fatalf("Enqueue = %+v, %v; Preview = %+v, %v", got, err, preview, previewErr)
	}

	if m.refused(t, r, err) {
		return
	}

	want := m.model.enqueue(r)
	if err != nil || got.Outcome != want.Outcome || !got.Due.Equal(want.Due) || got.Attempts != want.Attempts {
		t.Fatalf("Enqueue = %+v, %v; want %+v", got, err, want)
	}
}

// rush has requests for several services come at once.
func (m *machine) rush(t *rapid.T) {
	for range 3 {
		m.enqueue(t)
		m.tick(0)
	}
}

// refused reports whether a request had to be refused, and checks that it was or was not.
func (m *machine) refused(t *rapid.T, r queue.Request, err error) bool {
	wait, reason := m.model.refusal(r)
	if reason == nil {
		return false
	}

	refused, is := errors.AsType[*queue.RefusedError](err)
	if !is || !errors.Is(err, reason) || refused.RetryAfter != wait {
		t.Fatalf("%v, want %v for %v", err, reason, wait)
	}

	return true
}

func (m *machine) get(t *rapid.T) {
	if m.take(t) == none {
		t.Skip("nothing to get")
	}
}

// take gets the next item if there is one.
func (m *machine) take(t *rapid.T) queue.Lease {
	want := m.model.take()
	lease := m.queue.TryGet()

	if lease == none {
		if len(want) > 0 {
			t.Fatalf("got nothing, want one of %v", want)
		}

		return none
	}

	if !slices.Contains(want, lease.Service()) {
		t.Fatalf("got %s, want one of %v", lease.Service(), want)
	}

	if m.leases[lease.Service()] != none {
		t.Fatalf("%s runs twice", lease.Service())
	}

	m.model.handOut(lease.Service())
	m.leases[lease.Service()] = lease
	lease.OnRevoke(func() { m.revoked[lease]++ })

	open := m.model.items[lease.Service()].lease
	if lease.Revision() != open.revision || lease.Attempts() != open.attempts ||
		!sameRecords(lease.Triggers(), open.wanted) {
		t.Fatalf("lease of %s: %d, %d, %+v; want %+v",
			lease.Service(), lease.Revision(), lease.Attempts(), lease.Triggers(), open)
	}

	return lease
}

// end takes one of the open leases.
func (m *machine) end(t *rapid.T) queue.Lease {
	if len(m.leases) == 0 {
		t.Skip("nothing runs")
	}

	service := rapid.SampledFrom(slices.Sorted(maps.Keys(m.leases))).Draw(t, "running")
	lease := m.leases[service]
	m.close(lease)

	return lease
}

// close notes that a lease is completed.
func (m *machine) close(lease queue.Lease) {
	delete(m.leases, lease.Service())
	m.ended = append(m.ended, lease)
}

func (m *machine) succeed(t *rapid.T) {
	lease := m.end(t)
	m.sayDone(t, lease)
	m.model.succeed(lease.Service())
}

// sayDone completes a lease with success, also while somebody else has the queue's lock.
func (m *machine) sayDone(t *rapid.T, lease queue.Lease) {
	if rapid.Bool().Draw(t, "locked") {
		m.queue.WhileLocked(lease.Succeed)
	} else {
		lease.Succeed()
	}
}

func (m *machine) retry(t *rapid.T) {
	lease := m.end(t)
	m.jitter = rapid.Int64Range(0, 4).Draw(t, "jitter")

	again, gaveUp := lease.Retry(errTrouble)
	wantAgain, wantGaveUp := m.model.retry(lease.Service(), m.backoff)

	if !again.Equal(wantAgain) || gaveUp != wantGaveUp {
		t.Fatalf("Retry = %v, %v; want %v, %v", again, gaveUp, wantAgain, wantGaveUp)
	}
}

// backoff returns the delay of which the longest is given.
func (m *machine) backoff(longest time.Duration) time.Duration {
	return time.Duration(m.part(int64(longest)) + 1)
}

func (m *machine) fail(t *rapid.T) {
	lease := m.end(t)
	lease.Fail(errTrouble)
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

	switch rapid.IntRange(0, 4).Draw(t, "completion") {
	case 0:
		m.sayDone(t, lease)
	case 1:
		lease.Release()
	case 2:
		lease.Fail(nil)
	case 3:
		lease.Unavailable(usage, nil)
	default:
		lease.Retry(nil)
	}

	m.model.stray++
}

func (m *machine) forget(t *rapid.T) {
	s := service(t)
	want, exists := m.model.item(s)

	got, existed := m.queue.Forget(s)
	if existed != exists || !sameItem(got, want) {
		t.Fatalf("Forget = %+v, %v; want %+v, %v", got, existed, want, exists)
	}

	m.model.forget(s)
}

func (m *machine) postpone(t *rapid.T) {
	s := service(t)
	until := time.Now().Add(quarters(t, 1))

	if got, want := m.queue.Postpone(s, until), m.model.postpone(s, until); got != want {
		t.Fatalf("Postpone = %v, want %v", got, want)
	}
}

func (m *machine) wait(t *rapid.T) {
	m.tick(quarters(t, 1))
}

// moment is about as long as the time between two hand-outs during a recovery.
func (m *machine) moment(t *rapid.T) {
	m.tick(time.Duration(rapid.IntRange(1, 4).Draw(t, "quarters")) * time.Second / 4)
}
