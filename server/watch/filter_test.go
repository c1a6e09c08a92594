package watch

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func serviceName(i int) string { return fmt.Sprintf("prod/s%05d", i) }

func TestFilters(t *testing.T) {
	st := store.NewMemory()
	put(t, st, value("dev/a", 1))
	put(t, st, value("dev/b", 2, observeOnly))
	put(t, st, value("prod/a", 3, func(r *tidemarkv1.Recommendation) { r.Policy.Name = "gold" }))
	put(t, st, value("prod/b", 4, func(r *tidemarkv1.Recommendation) {
		r.Direction, r.Status = tidemarkv1.Direction_DIRECTION_NONE, tidemarkv1.Status_STATUS_HOLD
	}))

	h := newHub(t, st)

	for name, c := range map[string]struct {
		filter *tidemarkv1.RecommendationFilter
		want   []string
	}{
		"none":           {nil, []string{"dev/a", "dev/b", "prod/a", "prod/b"}},
		"empty":          {&tidemarkv1.RecommendationFilter{}, []string{"dev/a", "dev/b", "prod/a", "prod/b"}},
		"services":       {&tidemarkv1.RecommendationFilter{Services: []string{"prod/b", "dev/a", "dev/x"}}, []string{"dev/a", "prod/b"}},
		"tenants":        {&tidemarkv1.RecommendationFilter{Tenants: []string{"dev"}}, []string{"dev/a", "dev/b"}},
		"tenant's start": {&tidemarkv1.RecommendationFilter{Tenants: []string{"pro"}}, []string{}},
		"policies":       {&tidemarkv1.RecommendationFilter{Policies: []string{"gold", "tin"}}, []string{"prod/a"}},
		"modes": {
			&tidemarkv1.RecommendationFilter{Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_OBSERVE_ONLY}},
			[]string{"dev/b"},
		},
		"directions": {
			&tidemarkv1.RecommendationFilter{Directions: []tidemarkv1.Direction{tidemarkv1.Direction_DIRECTION_NONE}},
			[]string{"prod/b"},
		},
		"statuses": {
			&tidemarkv1.RecommendationFilter{Statuses: []tidemarkv1.Status{tidemarkv1.Status_STATUS_HOLD}},
			[]string{"prod/b"},
		},
		"all must hold": {
			&tidemarkv1.RecommendationFilter{Tenants: []string{"prod"}, Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_OBSERVE_ONLY}},
			[]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			page, more, revision := h.List(parsed(t, c.filter), tidemarkv1.View_VIEW_BASIC, "", 10)
			require.False(t, more)
			require.EqualValues(t, 4, revision)

			got := make([]string, 0, len(page))
			for _, r := range page {
				got = append(got, r.GetService())
			}

			require.Equal(t, c.want, got)
		})
	}
}

// Whoever watches by value is told when a service they were shown stops matching, and only then.
func TestLeavingAFilterByValueIsARemoval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("prod/a", 1))
		put(t, st, value("prod/b", 2, observeOnly))

		r := open(t, newHub(t, st), all, &request{Filter: &tidemarkv1.RecommendationFilter{
			Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE},
		}})

		synctest.Wait()
		require.Equal(t, []string{"prod/a=1", "end 1"}, texts(r.taken()))

		revision := put(t, st, value("prod/a", 5, observeOnly))

		synctest.Wait()

		got := r.taken()
		require.Equal(t, []string{"-prod/a"}, texts(got))
		require.Equal(t, revision, got[0].GetRemoved().GetRevision())

		put(t, st, value("prod/a", 6, observeOnly))
		put(t, st, value("prod/b", 7, observeOnly))
		remove(t, st, "prod/b")
		synctest.Wait()
		require.Empty(t, r.taken(), "nothing of that was ever shown")

		put(t, st, value("prod/b", 8))
		synctest.Wait()
		remove(t, st, "prod/b")
		synctest.Wait()
		require.Equal(t, []string{"prod/b=8", "-prod/b"}, texts(r.taken()))
		r.stop()
	})
}

func TestRemovalsOfOtherServicesAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		put(t, st, value("dev/a", 1))
		put(t, st, value("prod/a", 1))

		r := open(t, newHub(t, st), all, &request{Filter: &tidemarkv1.RecommendationFilter{Tenants: []string{"prod"}}})

		synctest.Wait()
		r.taken()
		remove(t, st, "dev/a")
		remove(t, st, "prod/a")
		synctest.Wait()
		require.Equal(t, []string{"-prod/a"}, texts(r.taken()))
		r.stop()
	})
}
