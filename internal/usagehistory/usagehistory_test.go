package usagehistory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
	"github.com/tidemark-project/tidemark/internal/usagehistory"
	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestMain(m *testing.M) { clickhousetest.Main(m) }

func all(t *testing.T, source backtest.Source) []backtest.Series {
	t.Helper()

	var found []backtest.Series

	for series, err := range source {
		require.NoError(t, err)

		found = append(found, *series)
	}

	return found
}

func TestSource(t *testing.T) {
	server := clickhousetest.Start(t)
	conn := server.Open(t)
	schema := clickhouseschema.DefaultConfig()
	schema.Names.Database = server.Database
	require.NoError(t, clickhouseschema.Apply(t.Context(), conn, schema))

	// Across the edge of an hour, and recent, because the tables drop what is old.
	begin := time.Now().UTC().Truncate(time.Hour).Add(-2 * time.Minute)
	minute := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

	batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO "+schema.Names.Qualified(schema.Names.Metrics)+
		" (service, replica, metric_name, ts, value)")
	require.NoError(t, err)

	defer batch.Close() //nolint:errcheck // it was sent, or the test has failed

	for _, row := range []struct {
		service, replica, metric string
		at                       time.Time
		value                    float64
	}{
		{"prod/a", "r0", clickhouseschema.MetricCPU, minute(0), 1},
		{"prod/a", "r0", clickhouseschema.MetricCPU, minute(0).Add(30 * time.Second), 2},
		{"prod/a", "r1", clickhouseschema.MetricCPU, minute(0), 0.25},
		{"prod/a", "r1", clickhouseschema.MetricResident, minute(0), 700},
		{"prod/a", "r0", clickhouseschema.MetricResident, minute(0), 600},
		{"prod/a", "r0", clickhouseschema.MetricResident, minute(3), 800},
		{"prod/a", "r0", clickhouseschema.MetricCPU, minute(4), 0.5},
		{"prod/a", "r0", clickhouseschema.MetricCPU, minute(9), 8},
		{"prod/it's", "r0", clickhouseschema.MetricCPU, minute(1), 3},
		{"prod/other", "r0", clickhouseschema.MetricCPU, minute(1), 4},
	} {
		require.NoError(t, batch.Append(row.service, row.replica, row.metric, row.at, row.value))
	}

	require.NoError(t, batch.Send())
	require.NoError(t, conn.Exec(t.Context(), "INSERT INTO "+schema.Names.Qualified(schema.Names.Allocations)+
		" (service, cpu_millis, memory_bytes, replicas, labels) VALUES ('prod/a', 4000, 8192, 2, map('tier', 'gold'))"))

	request := usagehistory.Request{
		Names: schema.Names, Services: []string{"prod/it's", "prod/a"}, From: minute(0), To: minute(8),
	}
	want := []backtest.Series{
		{
			Service: "prod/a", Labels: map[string]string{"tier": "gold"},
			Provisioned: size.Resources{CPUMillis: 4000, MemoryBytes: 8192},
			Samples: []backtest.Sample{
				{Time: minute(0).Unix(), Seconds: 60, CPUMillis: 1500, MemoryBytes: 700, CPUKnown: true, MemoryKnown: true},
				{Time: minute(3).Unix(), Seconds: 60, MemoryBytes: 800, MemoryKnown: true},
				{Time: minute(4).Unix(), Seconds: 60, CPUMillis: 500, CPUKnown: true},
			},
		},
		{Service: "prod/it's", Samples: []backtest.Sample{
			{Time: minute(1).Unix(), Seconds: 60, CPUMillis: 3000, CPUKnown: true},
		}},
	}

	source := usagehistory.Source(t.Context(), conn, request)
	require.Equal(t, want, all(t, source))
	require.Equal(t, want, all(t, source), "a second loop reads it again")

	for series, err := range source {
		require.NoError(t, err)
		require.Equal(t, "prod/a", series.Service)

		break
	}

	request.Services = []string{usagehistory.All}
	require.Len(t, all(t, usagehistory.Source(t.Context(), conn, request)), 3)
}

func TestFaults(t *testing.T) {
	now := time.Now()

	for name, request := range map[string]usagehistory.Request{
		"no service is named": {From: now.Add(-time.Hour), To: now},
		"is not before":       {Services: []string{"a/b"}, From: now, To: now},
	} {
		for series, err := range usagehistory.Source(t.Context(), nil, request) {
			require.Nil(t, series)
			require.ErrorContains(t, err, name)
		}
	}
}
