package queue_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/server/queue"
)

// The dependencies of the machine, and one that the queue does not know.
const (
	usage    = "usage store"
	records  = "recommendation store"
	stranger = "stranger"
)

func (m *machine) unavailable(t *rapid.T) {
	lease := m.end(t)
	m.miss(t, lease, rapid.SampledFrom([]string{usage, usage, records, stranger}).Draw(t, "dependency"))
}

// outage has all that runs fail for want of one dependency.
func (m *machine) outage(t *rapid.T) {
	if len(m.leases) == 0 {
		t.Skip("nothing runs")
	}

	for dependency := m.dependency(t); len(m.leases) > 0; m.tick(0) {
		m.miss(t, m.end(t), dependency)
	}
}

// trouble has the next ones fail for want of one dependency as soon as they are handed out.
func (m *machine) trouble(t *rapid.T) {
	dependency := m.dependency(t)

	for range 3 {
		lease := m.take(t)
		if lease == none {
			return
		}

		m.tick(0)
		m.close(lease)
		m.miss(t, lease, dependency)
		m.tick(time.Second)
	}
}

func (*machine) dependency(t *rapid.T) string {
	return rapid.SampledFrom([]string{usage, records}).Draw(t, "dependency")
}

// miss has an evaluation fail for want of a dependency.
func (m *machine) miss(t *rapid.T, lease queue.Lease, dependency string) {
	m.jitter = rapid.Int64Range(0, 4).Draw(t, "jitter")

	got := lease.Unavailable(dependency, errTrouble)
	want := m.model.missed(lease.Service(), dependency, m.backoff)

	if !got.Again.Equal(want.Again) || got.GaveUp != want.GaveUp || got.Waits != want.Waits || got.Opened != want.Opened {
		t.Fatalf("Unavailable = %+v, want %+v", got, want)
	}
}

// dependencies is a step of its own because the queue closes breakers when it is asked.
func (m *machine) dependencies(t *rapid.T) {
	got, want := m.queue.Dependencies(), m.model.dependencies()
	if !slices.EqualFunc(got, want, sameDependency) {
		t.Fatalf("dependencies %+v, want %+v", got, want)
	}
}

func sameDependency(a, b queue.Dependency) bool {
	return a.Name == b.Name && a.State == b.State && a.Message == b.Message && a.Since.Equal(b.Since) &&
		a.Trips == b.Trips
}

// way is a change of a breaker's state.
type way struct{ from, to queue.BreakerState }

// walk is what the runs of the machine have come by.
type walk struct {
	steps int
	ways  map[way]int
	// states are those of the current run.
	states []queue.BreakerState
}

func (w *walk) note(breakers []*modelBreaker) {
	if len(w.states) != len(breakers) {
		w.states = make([]queue.BreakerState, len(breakers))
	}

	for i, b := range breakers {
		if b.state != w.states[i] {
			w.ways[way{w.states[i], b.state}]++
			w.states[i] = b.state
		}
	}
}

// check fails the test when the machine was not put through enough, unless the command line asked for something else.
func (w *walk) check(t *testing.T) {
	t.Helper()

	checks, steps := flag.Lookup("rapid.checks").Value.String(), flag.Lookup("rapid.steps").Value.String()
	if testing.Short() || checks != "100" || steps != machineSteps {
		t.Skipf("%d steps in %s runs of %s", w.steps, checks, steps)
	}

	if w.steps < leastSteps {
		t.Errorf("%d steps, want %d", w.steps, leastSteps)
	}

	for _, wanted := range []way{
		{queue.Closed, queue.Open},
		{queue.Open, queue.Probing},
		{queue.Probing, queue.Open},
		{queue.Probing, queue.Recovering},
		{queue.Recovering, queue.Open},
		{queue.Recovering, queue.Closed},
	} {
		if w.ways[wanted] == 0 {
			t.Errorf("no breaker went from %v to %v: %v", wanted.from, wanted.to, w.ways)
		}
	}

	t.Logf("%d steps, %v", w.steps, w.ways)
}
