package watch

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"
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
	stepGap
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
	Observe                       bool
}

func (s step) String() string {
	names := [stepCount]string{"put", "renew", "resend", "remove", "read", "cut", "resume", "resumeOld", "wait", "gap"}

	return fmt.Sprintf("%s(service %d, reader %d, %d, %t)", names[s.Kind], s.Service, s.Reader, s.Amount, s.Observe)
}

var steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	return step{
		Kind:    rapid.IntRange(0, stepCount-1).Draw(t, "kind"),
		Service: rapid.IntRange(0, modelServices-1).Draw(t, "service"),
		Reader:  rapid.IntRange(0, modelReaders-1).Draw(t, "reader"),
		Amount:  rapid.IntRange(1, 6).Draw(t, "amount"),
		Observe: rapid.Bool().Draw(t, "observe"),
	}
}), 1, 80)

// modelFilters are what the readers ask for, one each.
var modelFilters = [modelReaders]*tidemarkv1.RecommendationFilter{
	nil,
	{Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE}},
	{Services: []string{"prod/s00001", "prod/s00002"}, Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_OBSERVE_ONLY}},
	{Services: []string{"prod/s00000", "prod/s00003"}},
	{Tenants: []string{"prod"}},
	{Tenants: []string{"dev", "prod"}, Services: []string{"prod/s00001"}},
}

// Whatever happens in whatever order, a reader that goes on reading ends with what the store holds; on one stream no
// revision of a service comes twice or after a later one; and every token that a reader ever got loses nothing.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := steps.Draw(rt, "script")

		var failure error

		synctest.Test(t, func(t *testing.T) { failure = play(t, script) })

		if failure != nil {
			rt.Fatal(failure)
		}
	})
}

// model is a hub with its readers, while a script is played.
type model struct {
	t       *testing.T
	store   *lossyStore
	hub     *Hub
	gap     bool
	clients [modelReaders]*client
	resent  map[string]bool
}

func play(t *testing.T, script []step) error {
	t.Helper()

	st := newLossyStore()
	m := &model{t: t, store: st, hub: newHub(t, st), resent: make(map[string]bool)}
	m.hub.index.limit = modelLimit

	for i := range m.clients {
		m.clients[i] = &client{filter: modelFilters[i], resent: m.resent}
		m.clients[i].connect(t, m.hub)
	}

	for i, s := range script {
		m.do(s, int64(i+1))
		synctest.Wait()

		for _, c := range m.clients {
			c.digest()
		}
	}

	return m.settle()
}

func (m *model) do(s step, millis int64) {
	service, c := serviceName(s.Service), m.clients[s.Reader]

	switch s.Kind {
	case stepPut:
		put(m.t, m.store, m.value(service, millis, s.Observe))
	case stepRenew:
		if record, err := m.store.Get(m.t.Context(), service); err == nil {
			renew(m.t, m.store, m.same(record.Recommendation))
		}
	case stepResend:
		if record, err := m.store.Get(m.t.Context(), service); err == nil {
			m.resent[service] = true
			resend(m.t, m.store, m.same(record.Recommendation))
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
	case stepGap:
		m.setGap(!m.gap)
	}
}

func (m *model) value(service string, millis int64, observe bool) *tidemarkv1.Recommendation {
	r := value(service, millis)
	r.EvaluateTime = timestamppb.Now()
	r.ExpireTime = timestamppb.New(time.Now().Add(modelValidity))

	if observe {
		observeOnly(r)
	}

	return r
}

// same makes what an evaluation makes that comes to the same value.
func (m *model) same(r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	return m.value(r.GetService(), r.GetRecommended().GetCpuMillis(), r.GetMode() == tidemarkv1.Mode_MODE_OBSERVE_ONLY)
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

		for _, past := range c.past {
			again := &client{filter: c.filter, resent: m.resent, position: past.clone()}
			again.finish(m.t, m.hub)
			problems = append(problems, again.check(fmt.Sprintf("reader %d resumed at %d", i, past.revision), want))
		}

		problems = append(problems, c.problems...)
	}

	return errors.Join(problems...)
}

// expected is what a reader with the filter should hold.
func expected(snapshot store.Snapshot, f *tidemarkv1.RecommendationFilter) map[string]holding {
	want := make(map[string]holding)

	for _, record := range snapshot.Records {
		r := record.Recommendation
		named := len(f.GetServices()) == 0 || slices.Contains(f.GetServices(), r.GetService()) // all are of one tenant
		inMode := len(f.GetModes()) == 0 || slices.Contains(f.GetModes(), r.GetMode())

		if named && inMode {
			want[r.GetService()] = holding{r.GetRevision(), expiry(r)}
		}
	}

	return want
}
