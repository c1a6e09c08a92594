package clickhouse

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMapTextDecode(t *testing.T) {
	for text, want := range map[string][][]int64{
		"([],[],[])":                       {{}, {}, {}},
		"([0],[18446744073709551615])":     {{0}, {math.MaxInt64}},
		"([1,59],[0,9223372036854775807])": {{1, 59}, {0, math.MaxInt64}},
		"([0,30,59],[7,80,900],[1,2,3])":   {{0, 30, 59}, {7, 80, 900}, {1, 2, 3}},
	} {
		var m mapText

		// What was decoded before leaves nothing behind.
		require.NoError(t, m.decode("([1,2,3,4],[5,6,7,8],[9,9,9,9])", 3, 60))
		require.NoError(t, m.decode(text, len(want), 60), text)

		for i, column := range want {
			require.Equal(t, column, m.columns[i], text)
		}
	}
}

func TestMapTextRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "is not a tuple of 2 arrays",
		"()":                "is not a tuple of 2 arrays",
		"([1])":             "is not a tuple of 2 arrays",
		"([1],[2],[3])":     "is not a tuple of 2 arrays",
		"([1],[2]":          "is not a tuple of 2 arrays",
		"([1],[2]) ":        "is not a tuple of 2 arrays",
		"([1,],[2])":        "is not a tuple of 2 arrays",
		"([-1],[2])":        "is not a tuple of 2 arrays",
		"([1],[2.5])":       "is not a tuple of 2 arrays",
		"([1],[2":           "is not a tuple of 2 arrays",
		"([1, 2],[2,3])":    "is not a tuple of 2 arrays",
		"([1,2],[2])":       "arrays of different lengths",
		"([60],[2])":        "the key 60, which must be below 60",
		"([59,1000],[2,2])": "the key 1000, which must be below 60",
	} {
		require.ErrorContains(t, new(mapText).decode(text, 2, 60), want, text)
	}
}

// Whatever is accepted is what ClickHouse would write for it.
func FuzzMapText(f *testing.F) {
	for _, text := range []string{
		"([],[])", "([0,1],[250,75])", "([0,1],[250,75],[1,1])", "([59],[18446744073709551616])", "([1],[2)", "([01],[2])",
	} {
		f.Add(text, 2)
		f.Add(text, 3)
	}

	f.Fuzz(func(t *testing.T, text string, columns int) {
		if columns != 2 && columns != 3 {
			return
		}

		var m mapText
		if m.decode(text, columns, 60) != nil {
			return
		}

		arrays := make([]string, 0, columns)

		for _, column := range m.columns[:columns] {
			require.Len(t, column, len(m.columns[0]))
			arrays = append(arrays, strings.ReplaceAll(fmt.Sprint(column), " ", ","))
		}

		again := "(" + strings.Join(arrays, ",") + ")"
		before := slices.Clone(m.columns[0])

		require.NoError(t, m.decode(again, columns, 60))
		require.Equal(t, before, m.columns[0])
		require.LessOrEqual(t, len(again), len(text)+19*columns*len(before), "a number too large may become longer")
	})
}
