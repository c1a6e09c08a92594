package clickhouse

import (
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const day = 24 * time.Hour

// The tables keep what the longest window asks for.
func TestReadTwoWeeks(t *testing.T) {
	e := startEngine(t)
	now := noon()
	samples := make([]sample, 0, 48)

	// 14 days less one minute ago: the first minute of the window.
	for i := range 12 {
		at := now.Add(-14*day + time.Duration(i+1)*time.Minute)
		samples = append(samples, sample{"a/b", "r", cpu, at, 5}, sample{"a/b", "r", resident, at, 50})
	}

	samples = append(samples,
		sample{"a/b", "r", cpu, now.Add(-14 * day), 64}, sample{"a/b", "r", resident, now.Add(-14 * day), 500},
		sample{"a/b", "r", cpu, now, 1}, sample{"a/b", "r", resident, now, 10},
	)
	e.insert(samples...)
	e.merge()

	got := e.readAt(now, "a/b", 3*time.Hour, 14*day)
	require.EqualValues(t, 1000, got.Windows[0].CPUPeakMillis)
	require.EqualValues(t, 5000, got.Windows[1].CPUPeakMillis)
	require.EqualValues(t, 50, got.Windows[1].ResidentMemoryPeakBytes)
	require.InDelta(t, 3./2016, got.Windows[1].Coverage, 1e-9)
}

// A recommender that reads no usage still has to know the size, and the time.
func TestReadOfTheAllocationAlone(t *testing.T) {
	e := startEngine(t)
	now := noon()

	e.insert(sample{"a/b", "r", cpu, now, 1})
	e.execf("INSERT INTO %s VALUES ('a/b', 1000, 4096, 3, {}, fromUnixTimestamp64Milli(%d))",
		e.config.Names.Qualified(e.config.Names.Allocations), now.UnixMilli())

	snapshots, err := e.readerAt(now).Read(t.Context(), []string{"a/b"}, usage.Request{})
	require.NoError(t, err)

	got := snapshots["a/b"]
	require.Equal(t, size.Size{CPUMillis: 1000, MemoryBytes: 4096, Replicas: 3}, got.Allocation)
	require.Empty(t, got.Windows)
	require.True(t, got.NewestSample.IsZero())
	require.Equal(t, now, got.ReadTime)
}

// Windows that look far back have many rows: fewer services share a query.
func TestReadFarBackAsksForFewerServices(t *testing.T) {
	for _, test := range []struct {
		reach, want int64
	}{
		{0, 200}, {65, 200}, {30*60 + 5, 200}, {14*24*60 + 5, 18}, {8 * 24 * 60, 32}, {1 << 40, 1},
	} {
		config := DefaultConfig()
		require.EqualValues(t, test.want, config.servicesAtOnce(test.reach), test.reach)
	}

	e := startEngine(t)
	e.config.MaxServices = 8

	services := make([]string, 10)
	for i := range services {
		services[i] = fmt.Sprintf("far/s%d", i)
		e.insert(sample{services[i], "r", cpu, noon(), 1}, sample{services[i], "r", resident, noon(), 1})
	}

	queries := 0
	ctx := clickhouse.Context(t.Context(), clickhouse.WithProfileInfo(func(*clickhouse.ProfileInfo) { queries++ }))

	snapshots, err := e.readerAt(noon()).Read(ctx, services, usage.Request{Windows: []time.Duration{14 * day}})
	require.NoError(t, err)
	require.Len(t, snapshots, 10)
	require.Equal(t, 20, queries, "each service by itself, and its allocation")

	for _, snapshot := range snapshots {
		require.EqualValues(t, 1000, snapshot.Windows[0].CPUPeakMillis)
	}
}

// What does not come from the view, or from a newer one, is an error that names it.
func TestReadOfRowsThatCannotBe(t *testing.T) {
	e := startEngine(t)
	hour := noon().Truncate(time.Hour).Unix()

	for column, values := range map[string]string{
		"cpu_nanos":      "([60],[1],[1]), ([],[]), ([],[]), ([],[]), ([],[]), ([],[])",
		"resident_bytes": "([],[],[]), ([77],[1]), ([],[]), ([],[]), ([],[]), ([],[])",
		"rejections":     "([],[],[]), ([],[]), ([],[]), ([3600000],[1]), ([],[]), ([],[])",
	} {
		service := "odd/" + column
		e.execf("INSERT INTO %s VALUES ('%s', toDateTime(%d, 'UTC'), 'r', %s)",
			e.config.Names.Qualified(e.config.Names.Usage), service, hour, values)

		_, err := e.readerAt(noon()).Read(t.Context(), []string{service}, usage.Request{Windows: []time.Duration{time.Hour}})
		require.ErrorContains(t, err, column+" of "+service)
	}
}
