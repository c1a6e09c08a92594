package agent

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// lanesModel is what lanes must come to: per service the newest value that has not been done, and who is at work.
type lanesModel struct {
	lanes    *lanes
	revision int64
	wanted   map[string]int64                      // revision to be handed over, 0 when none
	working  map[string]*tidemarkv1.Recommendation // what is under way
	dropped  map[string]bool                       // while it is under way
}

// TestLanesLoseNothing has values put and dropped while others are under way, fail, are held and released, in any order.
func TestLanesLoseNothing(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		m := &lanesModel{
			lanes: newLanes(time.Hour, time.Hour), wanted: map[string]int64{},
			working: map[string]*tidemarkv1.Recommendation{}, dropped: map[string]bool{},
		}
		defer m.lanes.close()

		service := rapid.SampledFrom([]string{"a/1", "a/2", "a/3"})

		t.Repeat(map[string]func(*rapid.T){
			"put":  func(t *rapid.T) { m.put(service.Draw(t, "service"), rapid.Int64Range(1, 3).Draw(t, "to")) },
			"drop": func(t *rapid.T) { m.drop(service.Draw(t, "service")) },
			"take": m.take,
			"end":  m.end,
			"release": func(t *rapid.T) {
				m.lanes.release(rapid.SampledFrom([]hold{heldClosed, heldLimited}).Draw(t, "hold"), rapid.IntRange(0, 2).Draw(t, "most"))
			},
			"time": func(*rapid.T) { m.endWaits() },
			"":     m.check,
		})

		// When everything may go on, everything that is wanted is handed over.
		for service, r := range m.working {
			m.settle(service, func() { m.lanes.done(r) }, false)
		}

		m.endWaits()
		m.lanes.release(heldClosed, 10)
		m.lanes.release(heldLimited, 10)

		for m.lanes.ready.len() > 0 {
			m.take(t)
		}

		for service, r := range m.working {
			m.settle(service, func() { m.lanes.done(r) }, false)
		}

		require.Empty(t, m.wanted)
		require.Empty(t, m.lanes.lanes, "nothing is left behind")
	})
}

func (m *lanesModel) put(service string, to int64) {
	m.revision++
	m.wanted[service] = m.revision
	m.dropped[service] = false
	m.lanes.put(revised(m.revision, advice(service, 2, to)))
}

func (m *lanesModel) drop(service string) {
	delete(m.wanted, service)
	m.dropped[service] = true
	m.lanes.drop(service)
}

func (m *lanesModel) take(t *rapid.T) {
	if m.lanes.ready.len() == 0 {
		return
	}

	got := m.lanes.take()
	service := got.GetService()

	require.Nil(t, m.working[service], "one at a time")
	require.Equal(t, m.wanted[service], got.GetRevision(), "the newest")
	delete(m.wanted, service)
	m.working[service], m.dropped[service] = got, false
}

// end lets one action end in some way.
func (m *lanesModel) end(t *rapid.T) {
	for service, r := range m.working {
		way := rapid.SampledFrom([]string{"done", "failed", "closed", "limited", "outdated", "back"}).Draw(t, "way")

		m.settle(service, map[string]func(){
			"done":     func() { m.lanes.done(r) },
			"failed":   func() { m.lanes.failed(r, 0) },
			"closed":   func() { m.lanes.keep(r, heldClosed) },
			"limited":  func() { m.lanes.keep(r, heldLimited) },
			"outdated": func() { m.lanes.keepFor(r, time.Hour) },
			"back":     func() { m.lanes.back(r) },
		}[way], way != "done")

		return
	}
}

func (m *lanesModel) settle(service string, end func(), again bool) {
	if _, newer := m.wanted[service]; again && !newer && !m.dropped[service] {
		m.wanted[service] = m.working[service].GetRevision()
	}

	delete(m.working, service)
	end()
}

// endWaits does what the timers would.
func (m *lanesModel) endWaits() {
	for _, at := range m.lanes.lanes {
		if at.wait != nil {
			m.lanes.again(at, at.waits)
		}
	}
}

// check looks whether each lane has its turn in exactly one place.
func (m *lanesModel) check(t *rapid.T) {
	for service := range m.wanted {
		require.Contains(t, m.lanes.lanes, service)
	}

	queued := m.lanes.ready.len() + m.lanes.held[heldClosed].len() + m.lanes.held[heldLimited].len()

	for service, at := range m.lanes.lanes {
		where := fmt.Sprintf("%s: %+v", service, at)
		require.Equal(t, m.working[service] != nil, at.busy, where)

		if at.part != nil {
			queued--

			require.False(t, at.busy || at.wait != nil || at.next == nil, where)
		} else {
			require.True(t, at.busy || at.wait != nil, where)
		}

		require.Equal(t, m.wanted[service], at.next.GetRevision(), where)
	}

	require.Zero(t, queued)
}
