package store

import (
	"maps"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// same reports that two maps are one, and not only equal.
func same(a, b map[string]string) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

func TestEqualLabelsAreHeldOnce(t *testing.T) {
	st := NewMemory()

	commit := func(service string, labels map[string]string, previous Record) Record {
		record, err := st.Commit(t.Context(), Commit{
			Recommendation: &tidemarkv1.Recommendation{Service: service, Labels: maps.Clone(labels)},
			Previous:       previous.Revision, Changed: true,
		})
		require.NoError(t, err)
		require.Equal(t, labels, record.Recommendation.GetLabels())

		return record
	}

	gold := map[string]string{"tier": "gold", "team": "payments"}

	first := commit("prod/a", gold, Record{})
	other := commit("prod/b", gold, Record{})
	again := commit("prod/a", gold, first)
	silver := commit("prod/b", map[string]string{"tier": "silver"}, other)

	require.True(t, same(first.Recommendation.GetLabels(), other.Recommendation.GetLabels()))
	require.True(t, same(first.Recommendation.GetLabels(), again.Recommendation.GetLabels()))
	require.False(t, same(first.Recommendation.GetLabels(), silver.Recommendation.GetLabels()))
}

// Whatever is shared, and however little is kept, a service has its own labels.
func TestSharedLabelsAreTheSame(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "b", "ab", "\x00", "\x01a"})

	rapid.Check(t, func(t *rapid.T) {
		sets := newLabelSets(rapid.IntRange(1, 4).Draw(t, "kept"))
		held := make(map[int]map[string]string)

		for _, labels := range rapid.SliceOf(rapid.MapOfN(text, text, 0, 3)).Draw(t, "labels") {
			service := rapid.IntRange(0, 2).Draw(t, "service")
			held[service] = sets.share(held[service], maps.Clone(labels))
			require.True(t, maps.Equal(labels, held[service]))
		}
	})
}

func TestLabelKeysTellLabelsApart(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune{0, 1, 'a'}), 0, 3, -1)
	set := rapid.MapOfN(text, text, 0, 3)

	rapid.Check(t, func(t *rapid.T) {
		a, b := set.Draw(t, "a"), set.Draw(t, "b")
		require.Equal(t, maps.Equal(a, b), labelKey(a) == labelKey(b))
	})
}
