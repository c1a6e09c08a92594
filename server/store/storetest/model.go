package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// testModel compares a store with the simplest thing that could be one, under any sequence of calls.
func testModel(t *testing.T, st store.Store) {
	t.Helper()

	run := 0

	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &model{
			ctx: t.Context(), store: st, tenant: fmt.Sprintf("run%d", run),
			records: make(map[string]store.Record), work: make(map[string]store.Work), deleted: make(map[string]int64),
		}

		start, err := st.Load(m.ctx)
		require.NoError(rt, err)

		m.head, m.start = start.Revision, start.Revision

		rt.Repeat(map[string]func(*rapid.T){
			"accept": m.accept, "commit": m.commit, "delete": m.delete, "discard": m.discard, "": m.check,
		})
		m.checkHistory(t, rt)
		m.clear(rt)
	})
}

// modelNames are the services of each run.
var modelNames = []string{"a", "b", "c"}

// model is what a store should hold of the services of one tenant.
type model struct {
	ctx         context.Context //nolint:containedctx // of the test
	store       store.Store
	tenant      string
	records     map[string]store.Record
	work        map[string]store.Work
	deleted     map[string]int64 // revisions of deletions
	events      []store.Event
	head, start int64
}

func (m *model) service(t *rapid.T) string {
	return m.tenant + "/" + rapid.SampledFrom(modelNames).Draw(t, "service")
}

// grow notes the revision of a write.
func (m *model) grow(t *rapid.T, revision int64) {
	require.Greater(t, revision, m.head)
	m.head = revision
}

func (m *model) accept(t *rapid.T) {
	work := make([]store.Work, rapid.IntRange(1, 3).Draw(t, "count"))
	for i := range work {
		work[i] = wish(m.service(t),
			rapid.SampledFrom([]tidemarkv1.Trigger{periodic, manual, signal}).Draw(t, "trigger"),
			rapid.SampledFrom([]string{"cron", "person"}).Draw(t, "source"),
			noon.Add(time.Duration(rapid.IntRange(-5, 5).Draw(t, "minutes"))*time.Minute))
	}

	revision, err := m.store.Accept(m.ctx, work)
	require.NoError(t, err)
	m.grow(t, revision)

	for _, w := range work {
		w.Revision = revision
		if old, has := m.work[w.Service]; has {
			w = merged(old, w)
		}

		m.work[w.Service] = w
	}
}

// merged is what is left of two wishes for one service.
func merged(old, latest store.Work) store.Work {
	weight := map[tidemarkv1.Trigger]int{periodic: 0, manual: 1, signal: 2}
	result := latest

	if weight[old.Trigger] > weight[latest.Trigger] {
		result = old
	}

	for _, w := range []store.Work{old, latest} {
		result.Observed = minTime(result.Observed, w.Observed)
		result.Accepted = minTime(result.Accepted, w.Accepted)
	}

	result.Revision = latest.Revision

	return result
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}

	return b
}

func (m *model) commit(t *rapid.T) {
	service := m.service(t)
	old, known := m.records[service]
	changed := rapid.Bool().Draw(t, "changed")
	recommendation := value(service, rapid.Int64Range(1, 100).Draw(t, "millis"))
	state := rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "state")
	c := store.Commit{
		Recommendation: recommendation, State: state, Changed: changed, Resend: rapid.Bool().Draw(t, "resend"),
		Asked:        rapid.SampledFrom([]int64{0, m.head, m.deleted[service] - 1, m.deleted[service]}).Draw(t, "asked"),
		Previous:     old.Revision + rapid.SampledFrom([]int64{0, 0, 0, 1, -1}).Draw(t, "wrong by"),
		WorkRevision: rapid.SampledFrom([]int64{0, m.work[service].Revision, m.work[service].Revision - 1, m.head}).Draw(t, "covers"),
	}

	record, err := m.store.Commit(m.ctx, c)
	if c.Previous != old.Revision {
		require.ErrorIs(t, err, store.ErrConflict)

		return
	}

	if !known && c.Asked > 0 && c.Asked < m.deleted[service] {
		require.ErrorIs(t, err, store.ErrDeleted)

		return
	}

	require.NoError(t, err)
	m.grow(t, record.Revision)

	want := value(service, recommendation.GetRecommended().GetCpuMillis())
	want.Revision = record.Revision
	published := record.Revision

	if known && !changed {
		want.Revision = old.Recommendation.GetRevision()

		if !c.Resend {
			published = old.Published
		}
	}

	m.records[service] = store.Record{
		Recommendation: want, State: state, Revision: record.Revision, Published: published,
	}
	m.events = append(m.events, store.Event{Revision: record.Revision, Service: service, Record: m.records[service]})

	equalRecord(t, m.records[service], record)

	if m.work[service].Revision <= c.WorkRevision {
		delete(m.work, service)
	}
}

func (m *model) delete(t *rapid.T) {
	service := m.service(t)
	_, known := m.records[service]
	_, waits := m.work[service]

	revision, err := m.store.Delete(m.ctx, service)
	if !known && !waits {
		require.ErrorIs(t, err, store.ErrNotFound)

		return
	}

	require.NoError(t, err)
	m.grow(t, revision)
	m.deleted[service] = revision
	delete(m.records, service)
	delete(m.work, service)

	m.events = append(m.events, store.Event{Revision: revision, Service: service})
}

func (m *model) discard(t *rapid.T) {
	service := m.service(t)
	latest := m.work[service].Revision
	upTo := rapid.SampledFrom([]int64{0, latest, latest - 1, m.head}).Draw(t, "up to")

	require.NoError(t, m.store.Discard(m.ctx, service, upTo))

	if latest <= upTo {
		delete(m.work, service)
	}
}
