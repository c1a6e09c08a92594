package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/server/store"
)

// check compares all that can be read with the model.
func (m *model) check(t *rapid.T) {
	for _, name := range modelNames {
		want, known := m.records[m.tenant+"/"+name]

		got, err := m.store.Get(m.ctx, m.tenant+"/"+name)
		if !known {
			require.ErrorIs(t, err, store.ErrNotFound)

			continue
		}

		require.NoError(t, err)
		equalRecord(t, want, got)
	}

	work := waiting(t, m.ctx, m.store)
	for service := range work {
		if !strings.HasPrefix(service, m.tenant+"/") {
			delete(work, service)
		}
	}

	require.Equal(t, m.work, work)

	snapshot, err := m.store.Load(m.ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, snapshot.Revision, m.head)

	found := 0

	for _, record := range snapshot.Records {
		if want, ours := m.records[record.Recommendation.GetService()]; ours {
			equalRecord(t, want, record)

			found++
		}
	}

	require.Len(t, m.records, found)
	m.checkDeletions(t, snapshot)
}

// checkDeletions expects every deletion after the point up to which some are forgotten, and none of what is there.
func (m *model) checkDeletions(t *rapid.T, snapshot store.Snapshot) {
	loaded := make(map[string]int64)
	for _, deletion := range snapshot.Deletions {
		loaded[deletion.Service] = deletion.Revision
	}

	for service, revision := range m.deleted {
		_, present := m.records[service]

		switch at, listed := loaded[service]; {
		case present:
			require.False(t, listed, service)
		case listed, revision > snapshot.Forgotten:
			require.Equal(t, revision, at, service)
		}
	}
}

// clear leaves the store as it was found, but for its history.
func (m *model) clear(t *rapid.T) {
	for _, name := range modelNames {
		if _, err := m.store.Delete(m.ctx, m.tenant+"/"+name); err != nil {
			require.ErrorIs(t, err, store.ErrNotFound)
		}
	}
}

// checkHistory watches from every revision there was.
func (m *model) checkHistory(t *testing.T, rt *rapid.T) {
	t.Helper()

	for from := range m.events {
		after := m.start
		if from > 0 {
			after = m.events[from-1].Revision
		}

		for i, event := range follow(t, m.store, after, len(m.events)-from) {
			want := m.events[from+i]
			require.Equal(rt, want.Revision, event.Revision)
			require.Equal(rt, want.Service, event.Service)
			equalRecord(rt, want.Record, event.Record)
		}
	}
}
