package backtest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestNewSeries(t *testing.T) {
	t.Parallel()

	got := backtest.NewSeries("a", []trace.Sample{
		{UnixSeconds: 600, CPUCores: 0.1, CPUKnown: true, MemoryBytes: 5, MemoryKnown: true},
		{UnixSeconds: 630, CPUCores: 0.3, CPUKnown: true, MemoryBytes: 4, MemoryKnown: true},
		{UnixSeconds: 659, MemoryBytes: 6, MemoryKnown: true},
		{UnixSeconds: 960, CPUCores: 3.599, CPUKnown: true},
		{UnixSeconds: 1260},
		{UnixSeconds: 8000},
		{UnixSeconds: 8301},
	}, trace.Service{Name: "a", Source: "lab", Kind: "vm", ProvisionedCores: 1.5, ProvisionedBytes: 7})

	require.Equal(t, &backtest.Series{
		Service: "a", Labels: map[string]string{"source": "lab", "kind": "vm"},
		Provisioned: size.Resources{CPUMillis: 1_500, MemoryBytes: 7},
		Samples: []backtest.Sample{
			{Time: 659, Seconds: 301, CPUMillis: 200, CPUKnown: true, MemoryBytes: 6, MemoryKnown: true},
			{Time: 960, Seconds: 301, CPUMillis: 3_599, CPUKnown: true},
			{Time: 1260, Seconds: 300},
			{Time: 8000, Seconds: 301},
			{Time: 8301, Seconds: 301},
		},
	}, got)
}

func TestRecorded(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "x.csv")
	require.NoError(t, os.WriteFile(path, []byte("service,ts_unix,cpu_cores,mem_bytes\na,0,1,\na,60,2,\nb,0,3,9\nb,0,4,9\n"), 0o600))

	var (
		names []string
		fault error
	)

	recorded := backtest.Recorded(path, nil)

	for range 2 {
		names, fault = nil, nil

		for series, err := range recorded {
			if fault = err; err == nil {
				names = append(names, series.Service)
			}
		}

		require.Equal(t, []string{"a"}, names)
		require.ErrorContains(t, fault, path+":5: the time is not after that of the line before")
	}

	for series, err := range recorded {
		require.NoError(t, err)
		require.Equal(t, "a", series.Service)

		break
	}

	for _, err := range backtest.Recorded(path+".absent", nil) {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// TestRealTraces replays recorded usage where there is any; the traces are not part of this repository.
func TestRealTraces(t *testing.T) {
	t.Parallel()

	path := filepath.Join("..", "..", "..", "shared", "traces", "google2011-machines.csv.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no recorded usage: %v", err)
	}

	names := []string{"stable", "balanced", "static-2x"}
	contenders := make([]backtest.Contender, 0, len(names))

	for _, name := range names {
		contender, err := backtest.Builtin(name, everyPolicy)
		require.NoError(t, err)

		contenders = append(contenders, contender)
	}

	began := time.Now()
	results, err := backtest.Run(t.Context(), backtest.Defaults(), "machines", backtest.Recorded(path, nil), contenders)
	require.NoError(t, err)
	t.Logf("took %s", time.Since(began))

	for _, r := range results {
		require.Equal(t, 3, r.Services)
		require.InDelta(t, 3*28, r.ServiceDays, 2)
		require.Greater(t, r.CoreHours, r.UsedCoreHours)
		require.Less(t, *r.CPUShortMinutes, 30.)
	}

	require.Zero(t, results[2].Resizes)
}
