package agent

import (
	"testing"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// advice is a recommendation to go from one number of cores to another, to be acted on.
func advice(service string, from, to int64) *tidemarkv1.Recommendation {
	direction := tidemarkv1.Direction_DIRECTION_NONE

	switch {
	case to > from:
		direction = tidemarkv1.Direction_DIRECTION_UP
	case to < from:
		direction = tidemarkv1.Direction_DIRECTION_DOWN
	}

	return &tidemarkv1.Recommendation{
		Service:     service,
		Allocation:  &tidemarkv1.Size{CpuMillis: from * 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Recommended: &tidemarkv1.Size{CpuMillis: to * 1000, MemoryBytes: 4 << 30, Replicas: 3},
		Direction:   direction,
		Mode:        tidemarkv1.Mode_MODE_ENFORCE,
		Status:      tidemarkv1.Status_STATUS_OK,
	}
}

func revised(revision int64, r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	r.Revision = revision

	return r
}

// held says that nothing is to be done, whatever is recommended.
func held(r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	r.Direction = tidemarkv1.Direction_DIRECTION_NONE

	return r
}

func moded(mode tidemarkv1.Mode, r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	r.Mode = mode

	return r
}

func TestWhichChangesMatter(t *testing.T) {
	t.Parallel()

	unknown := &tidemarkv1.Recommendation{Service: "a/x", Status: tidemarkv1.Status_STATUS_INSUFFICIENT_DATA}

	for name, c := range map[string]struct {
		before, now *tidemarkv1.Recommendation
		want        bool
	}{
		"first, to be changed":           {nil, advice("a/x", 1, 2), true},
		"first, to be left alone":        {nil, advice("a/x", 2, 2), false},
		"first, not known":               {nil, unknown, false},
		"another size":                   {advice("a/x", 1, 2), advice("a/x", 1, 3), true},
		"back to what it has":            {advice("a/x", 1, 2), advice("a/x", 1, 1), true},
		"not known any more":             {advice("a/x", 1, 2), unknown, false},
		"the size was reached":           {advice("a/x", 1, 2), advice("a/x", 2, 2), false},
		"the size was left again":        {advice("a/x", 2, 2), advice("a/x", 1, 2), true},
		"there is a direction now":       {held(advice("a/x", 1, 2)), revised(1, advice("a/x", 1, 2)), true},
		"new revision of the same":       {advice("a/x", 1, 2), revised(1, advice("a/x", 1, 2)), false},
		"the same revision, sent again":  {advice("a/x", 1, 2), advice("a/x", 1, 2), true},
		"the same, but nothing to do":    {advice("a/x", 2, 2), advice("a/x", 2, 2), false},
		"may be acted on now":            {moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 2)), advice("a/x", 1, 2), true},
		"must not be acted on any more":  {advice("a/x", 1, 2), moded(tidemarkv1.Mode_MODE_OFF, advice("a/x", 1, 2)), true},
		"other services do not count":    {advice("a/y", 1, 2), advice("a/x", 1, 2), true},
		"other services are unknown yet": {advice("a/y", 2, 2), advice("a/x", 2, 2), false},
	} {
		j := newJournal(SnapshotNone)
		if c.before != nil {
			j.matters(c.before, true)
		}

		j.caughtUp()
		require.Equal(t, c.want, j.matters(c.now, false), name)
	}
}

func TestWhatOfASnapshotMatters(t *testing.T) {
	t.Parallel()

	for snapshot, want := range map[Snapshot][2]bool{
		SnapshotNone:        {false, false},
		SnapshotOutstanding: {true, false},
		SnapshotAll:         {true, true},
	} {
		j := newJournal(snapshot)
		require.Equal(t, want[0], j.matters(advice("a/x", 1, 2), true))
		require.Equal(t, want[1], j.matters(advice("a/y", 2, 2), true))
		require.False(t, j.matters(advice("a/x", 1, 2), true), "when the snapshot began again")
		j.caughtUp()

		// A later snapshot, as after an expired token: only what is new.
		require.False(t, j.matters(advice("a/x", 1, 2), true))
		require.True(t, j.matters(advice("a/y", 2, 3), true))
		require.True(t, j.matters(advice("a/z", 1, 2), true))

		j.forget("a/x")
		require.True(t, j.matters(advice("a/x", 1, 2), false))
	}
}
