package agent

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestLine(t *testing.T) {
	t.Parallel()

	up := revised(42, advice("prod/orders-db", 1, 2))
	up.Reasons = []tidemarkv1.Reason{tidemarkv1.Reason_REASON_MEMORY_REJECTED, tidemarkv1.Reason_REASON_ROUNDED}

	down := revised(43, moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("prod/orders-db", 2, 1)))
	down.Recommended.MemoryBytes = 3 << 30
	down.Recommended.Replicas = 2

	held := revised(44, advice("prod/orders-db", 2, 2))
	held.Status = tidemarkv1.Status_STATUS_INSUFFICIENT_DATA

	unknown := revised(45, advice("prod/orders-db", 2, 2))
	unknown.Allocation = nil
	unknown.Direction = tidemarkv1.Direction_DIRECTION_UNSPECIFIED

	for want, r := range map[string]*tidemarkv1.Recommendation{
		"prod/orders-db  up  1 core -> 2 cores, 4Gi, 3 replicas  (memory rejected, rounded)  rev 42":   up,
		"prod/orders-db  down  2 cores -> 1 core, 4Gi -> 3Gi, 3 -> 2 replicas  [observe only]  rev 43": down,
		"prod/orders-db  same  2 cores, 4Gi, 3 replicas  insufficient data  rev 44":                    held,
		"prod/orders-db  unspecified  unknown -> 2 cores, 4Gi, 3 replicas  rev 45":                     unknown,
	} {
		require.Equal(t, want, Line(r))
	}
}

func TestPrintFlushesEachLine(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer

	buffered := bufio.NewWriter(&out)
	require.NoError(t, NewPrint(buffered, false).Apply(t.Context(), revised(1, advice("a/x", 1, 2))))
	require.Equal(t, "a/x  up  1 core -> 2 cores, 4Gi, 3 replicas  rev 1\n", out.String())

	out.Reset()
	require.NoError(t, NewPrint(buffered, true).Apply(t.Context(), revised(1, &tidemarkv1.Recommendation{Service: "a/x"})))
	require.Regexp(t, `^{"service":"a/x","revision":"1"}\n$`, out.String())
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestPrintToNowhereIsNotRepeated(t *testing.T) {
	t.Parallel()

	err := NewPrint(brokenWriter{}, false).Apply(t.Context(), advice("a/x", 1, 2))
	require.ErrorContains(t, err, "broken pipe")
	require.True(t, permanent(err))
}
