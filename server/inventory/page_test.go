package inventory

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestAPageSelects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gold := map[string]string{"tier": "gold", "region": "eu"}
		lister := &fakeLister{}
		lister.services(
			&tidemarkv1.Service{Service: "dev/a", Labels: gold},
			&tidemarkv1.Service{Service: "prod-eu/a", Labels: gold},
			&tidemarkv1.Service{Service: "prod/a", Labels: map[string]string{"tier": "gold", "region": "us"}},
			&tidemarkv1.Service{Service: "prod/b", Labels: gold},
			&tidemarkv1.Service{Service: "prod/c"},
		)

		cache, _ := run(t, lister)

		synctest.Wait()

		for name, c := range map[string]struct {
			query Query
			want  []string
			more  bool
		}{
			"all":               {Query{Limit: 9}, []string{"dev/a", "prod-eu/a", "prod/a", "prod/b", "prod/c"}, false},
			"tenant":            {Query{Limit: 9, Tenant: "prod"}, []string{"prod/a", "prod/b", "prod/c"}, false},
			"label":             {Query{Limit: 9, Labels: map[string]string{"tier": "gold"}}, []string{"dev/a", "prod-eu/a", "prod/a", "prod/b"}, false},
			"labels":            {Query{Limit: 9, Labels: gold, Tenant: "prod"}, []string{"prod/b"}, false},
			"an empty label":    {Query{Limit: 9, Labels: map[string]string{"tier": ""}}, []string{}, false},
			"after one":         {Query{Limit: 9, After: "prod/a"}, []string{"prod/b", "prod/c"}, false},
			"after what is not": {Query{Limit: 9, After: "prod/aa"}, []string{"prod/b", "prod/c"}, false},
			"after the last":    {Query{Limit: 9, After: "prod/c"}, []string{}, false},
			"a full page":       {Query{Limit: 3, Tenant: "prod"}, []string{"prod/a", "prod/b", "prod/c"}, false},
			"more than a page":  {Query{Limit: 2, Tenant: "prod"}, []string{"prod/a", "prod/b"}, true},
			"no more that fits": {Query{Limit: 1, Labels: gold, Tenant: "prod"}, []string{"prod/b"}, false},
		} {
			page, more, _ := cache.Page(c.query)
			require.Equal(t, c.want, keys(page), name)
			require.Equal(t, c.more, more, name)
		}
	})
}

// Page after page comes to the whole, each service once, in the order of keys.
func TestPagesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab]/[a-c]{1,3}`), 0, 12, rapid.ID).Draw(t, "names")
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		lister := &fakeLister{}
		lister.services(named(names...)...)

		cache := New(lister, interval, nil)
		require.NoError(t, cache.refresh(t.Context()))

		got := []string{}
		query := Query{Limit: limit}

		for more := true; more; {
			var page []*tidemarkv1.Service

			page, more, _ = cache.Page(query)
			require.LessOrEqual(t, len(page), limit)

			got = append(got, keys(page)...)
			if more {
				query.After = got[len(got)-1]
			}
		}

		require.ElementsMatch(t, names, got)
		require.IsNonDecreasing(t, append([]string{""}, got...))
	})
}

func TestLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gold := map[string]string{"tier": "gold"}
		lister := &fakeLister{}
		lister.services(&tidemarkv1.Service{Service: "prod/b", Labels: gold}, &tidemarkv1.Service{Service: "prod/a"})

		cache := New(lister, interval, nil)
		require.Nil(t, cache.Labels("prod/b"), "nothing is known yet")
		require.NoError(t, cache.refresh(t.Context()))
		require.Equal(t, gold, cache.Labels("prod/b"))

		for _, service := range []string{"prod/a", "prod/aa", "prod/c", "a", ""} {
			require.Empty(t, cache.Labels(service), service)
		}
	})
}
