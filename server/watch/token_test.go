package watch

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTokensSurviveTheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epoch := rapid.StringN(0, 60, 255).Draw(t, "epoch")
		revision := rapid.Int64Range(0, math.MaxInt64).Draw(t, "revision")

		gotEpoch, gotRevision, err := decodeToken(encodeToken(epoch, revision))
		require.NoError(t, err)
		require.Equal(t, epoch, gotEpoch)
		require.Equal(t, revision, gotRevision)
	})
}

func TestMalformedTokensAreRefused(t *testing.T) {
	good := encodeToken("epoch", 7)

	for name, token := range map[string]string{
		"not base64":       "%%%",
		"padded":           good + "=",
		"cut":              good[:len(good)-2],
		"longer":           good + "AAAA",
		"header only":      "AQ",
		"other version":    "Ag" + good[2:],
		"epoch beyond end": "Af8",
		"negative":         encodeToken("epoch", -1),
		"words":            "latest",
		"much":             strings.Repeat("A", 1024),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := decodeToken(token)
			require.ErrorIs(t, err, errMalformedToken)
		})
	}
}

func FuzzDecodeToken(f *testing.F) {
	f.Add("")
	f.Add(encodeToken("", 0))
	f.Add(encodeToken("epoch", math.MaxInt64))
	f.Add("AQAA")

	f.Fuzz(func(t *testing.T, token string) {
		epoch, revision, err := decodeToken(token)
		if err != nil {
			require.Empty(t, epoch)
			require.Zero(t, revision)

			return
		}

		require.GreaterOrEqual(t, revision, int64(0))

		againEpoch, againRevision, err := decodeToken(encodeToken(epoch, revision))
		require.NoError(t, err)
		require.Equal(t, epoch, againEpoch)
		require.Equal(t, revision, againRevision)
	})
}
