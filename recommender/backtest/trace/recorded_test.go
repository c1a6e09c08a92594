package trace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// recordings is where the recorded usage lies, outside the repository.
const recordings = "../../../../shared/traces"

// TestRecorded reads every recording that is there and holds the samples against the services.
func TestRecorded(t *testing.T) {
	t.Parallel()

	paths, err := filepath.Glob(filepath.Join(recordings, "*.csv.gz"))
	require.NoError(t, err)

	if len(paths) == 0 {
		t.Skip("no recordings in " + recordings)
	}

	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			compareWithServices(t, path)
		})
	}
}

func compareWithServices(t *testing.T, path string) {
	t.Helper()

	services, err := trace.ReadServices(path[:len(path)-len(".csv.gz")] + ".services.csv")
	require.NoError(t, err)

	byName := make(map[string]trace.Service, len(services))
	for _, service := range services {
		byName[service.Name] = service
	}

	reader, err := trace.Open(path)
	require.NoError(t, err)

	defer func() { require.NoError(t, reader.Close()) }()

	var samples []trace.Sample

	for series, err := range reader.Services() {
		require.NoError(t, err)

		samples, err = series.AppendTo(samples[:0])
		require.NoError(t, err)

		service, ok := byName[series.Service()]
		require.True(t, ok, series.Service())
		require.Len(t, samples, int(service.Samples))
		require.Equal(t, service.First, samples[0].Time())
		require.Equal(t, service.Last, samples[len(samples)-1].Time())
		require.Equal(t, service.MaxGap, maxGap(samples))

		delete(byName, series.Service())
	}

	require.Empty(t, byName)
}

func maxGap(samples []trace.Sample) time.Duration {
	var longest int64

	for i, sample := range samples[1:] {
		longest = max(longest, sample.UnixSeconds-samples[i].UnixSeconds)
	}

	return time.Duration(longest) * time.Second
}

// BenchmarkReader reads the largest recording that is there.
func BenchmarkReader(b *testing.B) {
	path := filepath.Join(recordings, "bitbrains-faststorage.csv.gz")
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}

	b.ReportAllocs()

	for b.Loop() {
		reader, err := trace.Open(path)
		require.NoError(b, err)

		rows := 0

		for series, err := range reader.Services() {
			require.NoError(b, err)

			for _, err := range series.Samples() {
				if err != nil {
					b.Fatal(err)
				}

				rows++
			}
		}

		require.NoError(b, reader.Close())
		b.ReportMetric(float64(rows), "rows/op")
	}
}
