package watch

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

func labelled(set map[string]string) func(*tidemarkv1.Recommendation) {
	return func(r *tidemarkv1.Recommendation) { r.Labels = set }
}

// Which selectors match is Kubernetes' to decide; that these do is what users rely on.
func TestSelectors(t *testing.T) {
	has := map[string]string{"tier": "gold", "shards": "12", "example.net/team": "payments"}

	for selector, want := range map[string]bool{
		"tier=gold": true, "tier==gold": true, "tier=silver": false, "tier!=silver": true, "zone!=a": true,
		"tier in (silver, gold)": true, "tier notin (silver)": true, "zone in (a)": false, "zone notin (a)": true,
		"tier": true, "!tier": false, "zone": false, "!zone": true, "shards>9": true, "shards<9": false, "tier>9": false,
		"example.net/team=payments": true, "tier=gold,zone": false, " tier = gold , !zone ": true, "tier=": false,
		"": true, "  ": true,
	} {
		wanted := parsed(t, &tidemarkv1.RecommendationFilter{LabelSelector: selector})
		r := value("prod/a", 1, labelled(has))
		require.Equal(t, want, wanted.matches(&entry{service: "prod/a", full: r, basic: r}), selector)
		require.Equal(t, strings.TrimSpace(selector) != "", wanted.byValue(), selector)
	}

	bare := value("prod/a", 1)
	require.True(t, parsed(t, &tidemarkv1.RecommendationFilter{LabelSelector: "!tier"}).
		matches(&entry{service: "prod/a", full: bare, basic: bare}), "no labels at all")
}

func TestWrongSelectorsAreExplained(t *testing.T) {
	for selector, want := range map[string]string{
		"tier=gold,zone in a":             `at character 11: "zone in a": `,
		"tier=gold,zone in (a":            `at character 11: "zone in (a": `,
		"tier in (a,b),  zone==,=":        `at character 24: "=": `,
		"tier=gold,":                      "at character 11: a requirement is missing",
		",tier=gold":                      "at character 1: a requirement is missing",
		"tier=gold, ,zone":                "at character 11: a requirement is missing",
		"-tier":                           `at character 1: "-tier": Invalid value: "-tier": `,
		"zone,tier=köln":                  `at character 6: "tier=köln": `,
		"stadt in (köln),tier in ()x":     "at character 1: ",
		"tier=a\x00,zone":                 "at character 7: a NUL character",
		"shards>many":                     `at character 1: "shards>many": `,
		"tier=" + strings.Repeat("x", 64): "at character 1: ",
		"tier gold":                       `at character 1: "tier gold": `,
		"zone,tier)":                      `at character 6: "tier)": `,
	} {
		_, err := ParseFilter(&tidemarkv1.RecommendationFilter{LabelSelector: selector})

		var wrong FilterError

		require.ErrorAs(t, err, &wrong, selector)
		require.Equal(t, "filter.label_selector", wrong.Field)
		require.Contains(t, wrong.Description, want)
		require.Contains(t, wrong.Description, "right are key=value, ")
		require.NotContains(t, wrong.Description, "<nil>")
	}
}

// What is wrong with a selector fits into the headers of an answer, however long the selector is.
func TestTheErrorIsShortWhenTheSelectorIsLong(t *testing.T) {
	const most, enough = 4096, 1500

	for _, selector := range []string{
		strings.Repeat("x", most), strings.Repeat("\U0001F600", most), strings.Repeat("(", most),
		strings.Repeat("a,", most/2-1) + "a b", "a in (" + strings.Repeat("é,", most/2-8) + "b)",
		"a in (" + strings.Repeat("b,", most/2-8), strings.Repeat("a", most-1) + "\x00",
	} {
		_, err := ParseFilter(&tidemarkv1.RecommendationFilter{LabelSelector: selector})
		require.ErrorAs(t, err, new(FilterError))
		require.Less(t, len(err.Error()), enough)
		require.True(t, utf8.ValidString(err.Error()))
	}
}

// Whatever is not taken is explained, at a place within the selector; whatever is taken means what Kubernetes says.
func FuzzParseSelector(f *testing.F) {
	for _, seed := range []string{"", ",", "a", "a in (b,c),!d", "a in (", "a=b\x00", "é=b,(,)", "a notin (),b>1", "!", "a\xff=b,"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		selector, err := parseSelector(text)
		theirs, theirErr := labels.Parse(text)

		if err == nil {
			require.NoError(t, theirErr)
			require.Equal(t, theirs.Empty(), selector == nil)

			return
		}

		var wrong FilterError

		require.ErrorAs(t, err, &wrong)
		require.True(t, theirErr != nil || strings.Contains(text, "\x00"))
		require.NotEmpty(t, wrong.Description)
	})
}

// A service that gets other labels comes to whoever selects by them, and goes.
func TestLabelsThatChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		gold, silver := labelled(map[string]string{"tier": "gold"}), labelled(map[string]string{"tier": "silver"})
		put(t, st, value("prod/a", 1, gold))
		put(t, st, value("prod/b", 2, silver))

		h := newHub(t, st)
		r := open(t, h, all, &request{Filter: &tidemarkv1.RecommendationFilter{LabelSelector: "tier=gold"}})

		synctest.Wait()
		require.Equal(t, []string{"prod/a=1", "end 1"}, texts(r.taken()))

		put(t, st, value("prod/a", 1, silver))
		put(t, st, value("prod/b", 2, gold))
		put(t, st, value("prod/c", 3))
		synctest.Wait()

		got := r.taken()
		require.Equal(t, []string{"-prod/a", "prod/b=2"}, texts(got))
		require.Equal(t, "gold", got[1].GetRecommendation().GetLabels()["tier"])

		put(t, st, value("prod/a", 1, gold))
		put(t, st, value("prod/b", 2))
		synctest.Wait()
		require.Equal(t, []string{"prod/a=1", "-prod/b"}, texts(r.taken()))
		r.stop()

		require.ErrorAs(t, h.Stream(t.Context(), &request{
			Filter: &tidemarkv1.RecommendationFilter{LabelSelector: "tier in"},
		}, nil), new(FilterError))
	})
}
