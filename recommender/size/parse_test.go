package size_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestParseCPU(t *testing.T) {
	t.Parallel()

	for text, millis := range map[string]int64{
		"0": 0, "1": 1000, "1000m": 1000, "0.5": 500, "500m": 500, "1m": 1, "0.001": 1, "64": 64000,
		"1k": 1_000_000, "1e3": 1_000_000, "1M": size.MaxCPUMillis, "2.50": 2500, "+3": 3000,
	} {
		got, err := size.ParseCPU(text)
		require.NoError(t, err, text)
		require.Equal(t, millis, got, text)
	}
}

func TestParseMemory(t *testing.T) {
	t.Parallel()

	for text, bytes := range map[string]int64{
		"0": 0, "1": 1, "10G": 10_000_000_000, "2Gi": 2 << 30, "1.5Gi": 3 << 29, "512Mi": 512 << 20, "1Pi": 1 << 50,
		"1000m": 1, "1e9": 1_000_000_000, "1.5k": 1500, "1073741824": 1 << 30,
	} {
		got, err := size.ParseMemory(text)
		require.NoError(t, err, text)
		require.Equal(t, bytes, got, text)
	}
}

func TestParseErrorsSayWhatIsWrongAndWhatIsRight(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		name  string
		parse func(string) (int64, error)
		text  string
		is    error
		says  string
	}{
		{"empty", size.ParseCPU, "", size.ErrSyntax, `CPU "": not a quantity: write cores like "2"`},
		{"words", size.ParseCPU, "two cores", size.ErrSyntax, `millicores like "500m"`},
		{"space", size.ParseMemory, "2 Gi", size.ErrSyntax, `memory "2 Gi": not a quantity: write bytes`},
		{"unit", size.ParseMemory, "2GB", size.ErrSyntax, `"2Gi" or "10G"`},
		{"negative CPU", size.ParseCPU, "-1", size.ErrNegative, "write 0 or more"},
		{"negative memory", size.ParseMemory, "-2Gi", size.ErrNegative, "write 0 or more"},
		{"half a millicore", size.ParseCPU, "0.5m", size.ErrTooFine, "a multiple of one millicore (1m)"},
		{"a nanocore", size.ParseCPU, "1n", size.ErrTooFine, "one millicore"},
		{"below a nanocore", size.ParseCPU, "0.0000000000001", size.ErrTooFine, "one millicore"},
		{"half a byte", size.ParseMemory, "1.5", size.ErrTooFine, "a multiple of one byte"},
		{"milli for mebi", size.ParseMemory, "512m", size.ErrTooFine, `mebibytes are "Mi"`},
		{"memory as CPU", size.ParseCPU, "2Gi", size.ErrTooLarge, "at most 1M cores"},
		{"too much memory", size.ParseMemory, "1025Ti", size.ErrTooLarge, "at most 1Pi"},
		{"beyond int64", size.ParseMemory, "9999999999999999999999", size.ErrTooLarge, "at most 1Pi"},
		{"exponent", size.ParseCPU, "1e2147483647", size.ErrTooLarge, "at most 1M cores"},
		{"long", size.ParseCPU, strings.Repeat("9", 1000), size.ErrTooLarge, `9...": quantity too large`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()

			_, err := c.parse(c.text)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestFormatReadsBackExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		millis := rapid.Int64Range(0, size.MaxCPUMillis).Draw(t, "millis")
		got, err := size.ParseCPU(size.FormatCPU(millis))
		require.NoError(t, err)
		require.Equal(t, millis, got)

		bytes := rapid.Int64Range(0, size.MaxMemoryBytes).Draw(t, "bytes")
		got, err = size.ParseMemory(size.FormatMemory(bytes))
		require.NoError(t, err)
		require.Equal(t, bytes, got)
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "1", "500m", "2Gi", "10G", "-1", "1e9", "1e-9", "0.5m", "1E1E", "9223372036854775807"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		if millis, err := size.ParseCPU(text); err == nil {
			require.GreaterOrEqual(t, millis, int64(0))
			require.LessOrEqual(t, millis, size.MaxCPUMillis)
			again, err := size.ParseCPU(size.FormatCPU(millis))
			require.NoError(t, err)
			require.Equal(t, millis, again)
		}

		if bytes, err := size.ParseMemory(text); err == nil {
			require.GreaterOrEqual(t, bytes, int64(0))
			require.LessOrEqual(t, bytes, size.MaxMemoryBytes)
			again, err := size.ParseMemory(size.FormatMemory(bytes))
			require.NoError(t, err)
			require.Equal(t, bytes, again)
		}
	})
}
