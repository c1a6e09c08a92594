package feed_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/internal/clickhousetest"
	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// tables are Tidemark's tables in a database of the test's own, and a writer to them.
func tables(t *testing.T) (driver.Conn, *feed.Writer) {
	t.Helper()

	ch := clickhousetest.Start(t)
	conn := ch.Open(t)

	config := clickhouseschema.DefaultConfig()
	config.Names.Database = ch.Database
	require.NoError(t, clickhouseschema.Apply(t.Context(), conn, config))

	return conn, feed.NewWriter(conn, config.Names)
}

func TestSeed(t *testing.T) {
	conn, writer := tables(t)

	var (
		mu   sync.Mutex
		done int
	)

	now := time.Now().Truncate(time.Minute)
	f := fleet.New(fleet.Model(workload.Config{Seed: 1, Services: 20, Origin: now}))

	samples, err := writer.Seed(t.Context(), f, now, func(n int) {
		mu.Lock()
		defer mu.Unlock()

		done = max(done, n)
	})
	require.NoError(t, err)
	require.Equal(t, f.Len(), done)

	var rows, services, recent uint64

	var oldest, newest time.Time

	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(), uniqExact(service), min(ts), max(ts),
		countIf(ts >= now() - INTERVAL 3 HOUR AND metric_name = 'cpu_usage_cores' AND replica LIKE '%-0')
		FROM prometheus_metrics`).Scan(&rows, &services, &oldest, &newest, &recent))
	require.EqualValues(t, samples, rows)
	require.EqualValues(t, f.Len(), services)
	require.Equal(t, now.Add(-30*time.Hour).UTC(), oldest.UTC())
	require.Equal(t, now.Add(-time.Minute).UTC(), newest.UTC())
	require.InDelta(t, 180*f.Len(), recent, float64(3*f.Len()), "a sample a minute in the small window")

	// The views have done their part: a roll-up of every hour, and no signals, since nothing was refused.
	var hours, signals, allocations uint64

	require.NoError(t, conn.QueryRow(t.Context(), "SELECT uniqExact(hour) FROM usage_rollup").Scan(&hours))
	require.GreaterOrEqual(t, hours, uint64(30))
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count() FROM recommendation_signals").Scan(&signals))
	require.Zero(t, signals)
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count() FROM service_allocations FINAL").Scan(&allocations))
	require.EqualValues(t, f.Len(), allocations)
}

func TestScrapeAndThrottle(t *testing.T) {
	conn, writer := tables(t)

	now := time.Now()
	f := fleet.New([]fleet.Service{{
		Key: "a/b", Allocation: size.Size{CPUMillis: 1000, MemoryBytes: 1 << 30, Replicas: 2},
		Demand: func(int, time.Time) workload.Demand {
			return workload.Demand{CPUCores: 0.5, ResidentBytes: 2 << 30, QueryBytes: math.NaN()}
		},
	}})

	require.NoError(t, writer.Scrape(t.Context(), f, 0, now, now.Add(-time.Second)))
	require.NoError(t, writer.Throttled(t.Context(), f.Service(0), now))

	// Two moments of two replicas: CPU, memory and what was refused, and nothing of what is not known.
	var rows, refused, throttled uint64

	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count() FROM prometheus_metrics").Scan(&rows))
	require.EqualValues(t, 2*2*3+1, rows)
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT countIf(metric_name = 'memory_rejections'),
		countIf(metric_name = 'cpu_throttled_seconds') FROM recommendation_signals WHERE service_name = 'a/b'`).
		Scan(&refused, &throttled))
	require.EqualValues(t, 4, refused)
	require.EqualValues(t, 1, throttled)
}

func TestAllocationsReplaceEachOther(t *testing.T) {
	conn, writer := tables(t)

	now := time.Now()
	write := func(at time.Time, millis int64) {
		require.NoError(t, writer.Allocations(t.Context(), at, []feed.Allocation{{
			Service: "a/b", Size: size.Size{CPUMillis: millis, MemoryBytes: 1 << 30, Replicas: 3},
			Labels: map[string]string{"x": "y"},
		}}))
	}

	write(now, 1000)
	write(now.Add(time.Second), 2000)
	require.NoError(t, writer.Allocations(t.Context(), now, nil), "nothing to write is no error")

	var (
		millis   int64
		replicas int32
		labels   map[string]string
	)

	require.NoError(t, conn.QueryRow(t.Context(), "SELECT cpu_millis, replicas, labels FROM service_allocations FINAL").
		Scan(&millis, &replicas, &labels))
	require.EqualValues(t, 2000, millis)
	require.EqualValues(t, 3, replicas)
	require.Equal(t, map[string]string{"x": "y"}, labels)
}

var errAway = errors.New("ClickHouse is away")

// away is a ClickHouse that cannot be reached.
type away struct{}

// PrepareBatch implements feed.Conn.
func (away) PrepareBatch(context.Context, string, ...driver.PrepareBatchOption) (driver.Batch, error) {
	return nil, errAway
}

func TestWithoutClickHouse(t *testing.T) {
	writer := feed.NewWriter(away{}, clickhouseschema.DefaultNames())
	f := fleet.New(fleet.Model(workload.Config{Seed: 1, Services: 10, Origin: time.Now()}))

	_, err := writer.Seed(t.Context(), f, time.Now(), nil)
	require.ErrorIs(t, err, errAway)
	require.ErrorContains(t, err, "insert samples")
	require.ErrorIs(t, writer.Scrape(t.Context(), f, 0, time.Now()), errAway)
	require.ErrorIs(t, writer.Allocations(t.Context(), time.Now(), []feed.Allocation{{}}), errAway)
}
