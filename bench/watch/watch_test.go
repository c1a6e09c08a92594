package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSmallRun runs everything with few readers and few changes.
func TestSmallRun(t *testing.T) {
	small := plan{
		readers: 20, services: 50, rounds: 2, writes: 100, pace: 100 * time.Microsecond, clients: 3, sweeps: 2,
	}

	var out bytes.Buffer

	path := filepath.Join(t.TempDir(), "build", "watch.json")
	require.NoError(t, runAll(t.Context(), small, path, &out))
	require.Contains(t, out.String(), "writer_p99_ratio")

	content, err := os.ReadFile(path)
	require.NoError(t, err)

	var results summary

	require.NoError(t, json.Unmarshal(content, &results))
	require.Positive(t, results.WriterP99Ratio)
	require.Positive(t, results.EventsPerSecond)
	require.NotZero(t, results.BytesPerWatcher)
	require.Equal(t, 3*50*2, results.Rate.Events)
	require.Len(t, results.Footprints, 5)

	stalled := make(map[string]int)

	for _, r := range results.Rows {
		stalled[r.Case] = r.Stalled

		require.Positive(t, r.CommitP99Us, r.Case)
		require.Equal(t, r.Reading > 0, r.DelayP99Us > 0, r.Case)

		if r.Case == caseReading {
			require.InDelta(t, 1, r.Ratio, 1e-9)
		}
	}

	require.Equal(t, map[string]int{caseAlone: 0, caseReading: 0, caseStalled: 2, caseAll: 0}, stalled)
}
