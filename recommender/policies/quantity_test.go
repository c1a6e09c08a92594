package policies

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "7d": 7 * day, "1d12h": 36 * time.Hour,
		"0d": 0, "1.5h": 90 * time.Minute, "36500d": 36500 * day,
	} {
		got, err := parseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}

	for _, text := range []string{"", "d", "7", "1dd", "1d1d", "1h7d", "-1s", "1d-1h", "+1h", "1d+1h", "36500d1ns", "1w", " 1h", "1e3s"} {
		_, err := parseDuration(text)
		require.Error(t, err, text)
	}
}

func TestParseShare(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]float64{
		"0": 0, "1": 1, "0.8": 0.8, "80%": 0.8, "7%": 0.07, "12.3%": 0.123, "0%": 0, "100%": 1, "250%": 2.5, "37.5%": 0.375,
	} {
		got, err := parseShare(text)
		require.NoError(t, err, text)
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s is exact", text)
	}

	for _, text := range []string{"", "%", "1.1", "80", "NaN", "inf", "-1", "+1", "1e-1", "0x1p-1", ".5", "5.", "1_0%", "80 %", "80%%"} {
		_, err := parseShare(text)
		require.Error(t, err, text)
	}
}

func TestParseClockAndCount(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]time.Duration{"00:00": 0, "7:05": 7*time.Hour + 5*time.Minute, "23:59": day - time.Minute, "24:00": day} {
		got, err := parseClock(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}

	for _, text := range []string{"", "24:01", "12:60", "12", "12:5", "123:00", "-1:00", "12:00:00"} {
		_, err := parseClock(text)
		require.Error(t, err, text)
	}

	for _, text := range []string{"", "-1", "1.0", "0x1", "1_0", "2147483648", "99999999999999999999"} {
		_, err := parseCount[int32](text)
		require.Error(t, err, text)
	}
}

// TestWhatIsWrittenIsReadBack holds for every value there can be.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		span := time.Duration(rapid.Int64Range(0, int64(maxDays*day)).Draw(t, "span"))
		unit := rapid.SampledFrom([]time.Duration{1, time.Millisecond, time.Second, time.Minute, time.Hour, day}).Draw(t, "unit")
		span -= span % unit
		gotSpan, err := parseDuration(formatDuration(span))
		require.NoError(t, err)
		require.Equal(t, span, gotSpan)

		part := float64(rapid.Int64Range(0, 1e6).Draw(t, "part")) / rapid.SampledFrom([]float64{1e6, 3e6, 7e7}).Draw(t, "of")
		gotPart, err := parseShare(formatShare(part))
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(part), math.Float64bits(gotPart), formatShare(part))

		text := rapid.String().Draw(t, "text")
		r := newReader("")
		read := r.parseDocument([]byte("text: " + quoted(text)))
		require.NoError(t, r.err())
		require.Equal(t, text, read.get("text").text)
	})
}
