package watch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// The kinds of step of a script.
const (
	stepPut = iota
	stepRenew
	stepResend
	stepRemove
	stepRead
	stepCut
	stepResume
	stepResumeOld
	stepWait
	stepWaitLong
	stepGap
	stepRestart
	stepCount
)

const (
	modelServices = 5
	modelReaders  = 6
	modelLimit    = 3 // tombstones that are remembered
	modelValidity = 20 * time.Second
)

// step is one thing that happens; which fields count depends on the kind.
type step struct {
	Kind, Service, Reader, Amount int
	Traits                        traits
}

func (s step) String() string {
	names := [stepCount]string{"put", "renew", "resend", "remove", "read", "cut", "resume", "resumeOld", "wait", "waitLong", "gap", "restart"}

	return fmt.Sprintf("%s(service %d, reader %d, %d, %v)", names[s.Kind], s.Service, s.Reader, s.Amount, s.Traits)
}

var steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	return step{
		Kind:    rapid.IntRange(0, stepCount-1).Draw(t, "kind"),
		Service: rapid.IntRange(0, modelServices-1).Draw(t, "service"),
		Reader:  rapid.IntRange(0, modelReaders-1).Draw(t, "reader"),
		Amount:  rapid.IntRange(1, 6).Draw(t, "amount"),
		Traits:  drawTraits(t),
	}
}), 1, 80)

// Whatever happens in whatever order, and whatever a reader asks for, one that goes on reading ends with what the store
// holds of that, which is what a list shows; on one stream no revision of a service comes twice or after a later one; and
// every token that a reader ever got loses nothing.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := steps.Draw(rt, "script")
		filters := rapid.SliceOfN(rapid.Custom(drawFilter), modelReaders, modelReaders).Draw(rt, "filters")

		var failure error

		synctest.Test(t, func(t *testing.T) { failure = play(t, script, filters) })

		if failure != nil {
			rt.Fatal(failure)
		}
	})
}

// model is a hub with its readers, and others after it on the same store, while a script is played.
type model struct {
	t       *testing.T
	store   *lossyStore
	hub     *Hub
	stop    func() // ends the hub
	gap     bool
	clients [modelReaders]*client
	resent  map[string]bool
}

func play(t *testing.T, script []step, filters []*tidemarkv1.RecommendationFilter) error {
	t.Helper()

	st := newLossyStore()
	m := &model{t: t, store: st, resent: make(map[string]bool)}
	m.start()

	defer func() { m.stop() }()

	for i := range m.clients {
		m.clients[i] = &client{filter: filters[i], resent: m.resent}
		m.clients[i].connect(t, m.hub)
	}

	for _, s := range script {
		m.do(s)
		synctest.Wait()

		for _, c := range m.clients {
			c.digest()
		}
	}

	return m.settle()
}

// start begins a hub on the store.
func (m *model) start() {
	m.t.Helper()

	m.hub = New(m.store, DefaultConfig(), discard)
	m.hub.index.limit = modelLimit
	require.NoError(m.t, m.hub.Load(m.t.Context()))

	ctx, cancel := context.WithCancel(m.t.Context())
	ended := make(chan error, 1)
	hub := m.hub

	go func() { ended <- hub.Run(ctx) }()

	m.stop = func() {
		cancel()
		require.ErrorIs(m.t, <-ended, context.Canceled)
	}
}

// restart ends the hub and its streams, and begins another on the same store, where the readers go on.
func (m *model) restart() {
	if m.gap {
		m.setGap(false)
	}

	for _, c := range m.clients {
		c.disconnect()
	}

	m.stop()
	m.start()

	for _, c := range m.clients {
		c.connect(m.t, m.hub)
	}
}

func (m *model) do(s step) {
	service, c := serviceName(s.Service), m.clients[s.Reader]

	switch s.Kind {
	case stepPut:
		put(m.t, m.store, modelValue(service, s.Traits))
	case stepRenew:
		if record, err := m.store.Get(m.t.Context(), service); err == nil {
			renew(m.t, m.store, same(record.Recommendation))
		}
	case stepResend:
		if record, err := m.store.Get(m.t.Context(), service); err == nil {
			m.resent[service] = true
			resend(m.t, m.store, same(record.Recommendation))
		}
	case stepRemove:
		if _, err := m.store.Get(m.t.Context(), service); err == nil {
			remove(m.t, m.store, service)
		}
	case stepRead:
		c.reader.grant(s.Amount)
	case stepCut:
		c.disconnect()
	case stepResume:
		c.reconnect(m.t, m.hub)
	case stepResumeOld:
		c.goBack(s.Amount)
		c.reconnect(m.t, m.hub)
	case stepWait:
		<-time.After(time.Duration(s.Amount) * 4 * time.Second)
	case stepWaitLong: // until the store may forget what was deleted before
		<-time.After(store.DeletionMemory + time.Second)
	case stepGap:
		m.setGap(!m.gap)
	case stepRestart:
		m.restart()
	}
}

// same makes what an evaluation makes that comes to the same value.
func same(r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	return timed(proto.CloneOf(r))
}

// setGap makes the hub miss changes, or lets it load what it has missed.
func (m *model) setGap(gap bool) {
	if gap {
		m.store.lose(store.ErrCompacted)
	} else {
		m.store.heal()
	}

	m.gap = gap
}

// settle lets everybody read to the end and compares.
func (m *model) settle() error {
	if m.gap {
		m.setGap(false)
	}

	snapshot, err := m.store.Memory.Load(m.t.Context())
	require.NoError(m.t, err)

	var problems []error

	for i, c := range m.clients {
		want := expected(snapshot, c.filter)

		c.finish(m.t, m.hub)
		problems = append(problems, c.check(fmt.Sprintf("reader %d", i), want))
		problems = append(problems, c.checkList(parsed(m.t, c.filter), m.hub))

		for _, past := range c.past {
			again := &client{filter: c.filter, resent: m.resent, position: past.clone()}
			again.finish(m.t, m.hub)
			problems = append(problems, again.check(fmt.Sprintf("reader %d resumed at %d", i, past.revision), want))
		}

		problems = append(problems, c.problems...)
	}

	return errors.Join(problems...)
}
