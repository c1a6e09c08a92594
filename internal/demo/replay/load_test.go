package replay_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/replay"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	gib            = 1 << 30
	usageHeader    = "service,ts_unix,cpu_cores,mem_bytes\n"
	servicesHeader = "service,source,kind,prov_cpu_cores,prov_mem_bytes,interval_s,first_ts,last_ts,samples,max_gap_s," +
		"cpu_mean,cpu_p95,cpu_max,mem_mean,mem_p95,mem_max\n"
)

var now = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// row is one recorded service: a sample every five minutes, from 0 on, with the number of the sample as its CPU in
// thousandths of a core.
func recorded(name string, samples int, memory string) string {
	var b strings.Builder

	for i := range samples {
		fmt.Fprintf(&b, "%s,%d,%d.%03d,%s\n", name, i*300, i/1000, i%1000, memory)
	}

	return b.String()
}

func write(t *testing.T, name, content string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))

	return path
}

func load(t *testing.T, usage, services string) (replay.Fleet, error) {
	t.Helper()

	config := replay.Config{Usage: write(t, "usage.csv", usageHeader+usage), Limit: 1000, Now: now}
	if services != "" {
		config.Services = write(t, "services.csv", servicesHeader+services)
	}

	return replay.Load(config)
}

func TestHistoryEndsNow(t *testing.T) {
	t.Parallel()

	// 40 hours: 480 samples. Two hours are kept for the future, so the history is of the samples 95 to 455.
	loaded, err := load(t, recorded("a", 480, "1000"), "")
	require.NoError(t, err)
	require.Len(t, loaded.Services, 1)

	s := loaded.Services[0]
	require.Equal(t, "replay/a", s.Key)
	require.Equal(t, []string{"a-0"}, s.Replicas())

	times := slices.Collect(s.Samples(now.Add(-30*time.Hour), now))
	require.Len(t, times, 361)
	require.Equal(t, now.Add(-30*time.Hour), times[0].UTC())
	require.Equal(t, now, times[360].UTC())

	require.InDelta(t, 0.095, s.Demand(0, times[0]).CPUCores, 1e-9)
	require.InDelta(t, 0.455, s.Demand(0, now).CPUCores, 1e-9)
	require.InDelta(t, 0.455, s.Demand(0, now.Add(299*time.Second)).CPUCores, 1e-9, "holds until the next sample")
	require.InDelta(t, 0.456, s.Demand(0, now.Add(300*time.Second)).CPUCores, 1e-9)
	require.InDelta(t, 1000, s.Demand(0, now).ResidentBytes, 1e-9)
	require.True(t, math.IsNaN(s.Demand(0, now).QueryBytes))
	require.True(t, math.IsNaN(s.Demand(0, now.Add(-31*time.Hour)).CPUCores))

	// The recording ends two hours from now, with sample 479; from then on its last day comes again.
	require.InDelta(t, 0.479, s.Demand(0, now.Add(2*time.Hour)).CPUCores, 1e-9)
	require.InDelta(t, 0.192, s.Demand(0, now.Add(2*time.Hour+5*time.Minute)).CPUCores, 1e-9)
	require.InDelta(t, 0.192, s.Demand(0, now.Add(74*time.Hour+5*time.Minute)).CPUCores, 1e-9)
}

func TestHistoryAvoidsGaps(t *testing.T) {
	t.Parallel()

	full := strings.SplitAfter(recorded("a", 800, ""), "\n")

	// Without the samples 600 to 650 the last 30 hours on end are those before the gap.
	gapped := strings.Join(append(slices.Clone(full[:600]), full[650:]...), "")
	loaded, err := load(t, gapped, "")
	require.NoError(t, err)
	require.InDelta(t, 0.599, loaded.Services[0].Demand(0, now).CPUCores, 1e-9)
	require.True(t, math.IsNaN(loaded.Services[0].Demand(0, now.Add(time.Hour)).CPUCores), "the gap itself is replayed too")

	// A short gap is none.
	short := strings.Join(append(slices.Clone(full[:600]), full[604:]...), "")
	loaded, err = load(t, short, "")
	require.NoError(t, err)
	require.InDelta(t, 0.775, loaded.Services[0].Demand(0, now).CPUCores, 1e-9)
}

func TestShortRecordings(t *testing.T) {
	t.Parallel()

	// Exactly 30 hours: no future is left, the recording loops at once.
	loaded, err := load(t, recorded("a", 361, "")+recorded("b", 360, ""), "")
	require.NoError(t, err)
	require.Len(t, loaded.Services, 1)
	require.Equal(t, 1, loaded.LeftOut)
	require.InDelta(t, 0.360, loaded.Services[0].Demand(0, now).CPUCores, 1e-9)
	require.InDelta(t, 0.073, loaded.Services[0].Demand(0, now.Add(5*time.Minute)).CPUCores, 1e-9)

	_, err = load(t, recorded("b", 360, ""), "")
	require.ErrorContains(t, err, "none of its 1 services was recorded for 30h0m0s without a gap of more than 30m0s")

	_, err = load(t, "", "")
	require.ErrorContains(t, err, "none of its 0 services")
}

func TestSizes(t *testing.T) {
	t.Parallel()

	line := func(name, cores, bytes string) string {
		return fmt.Sprintf("%s,lab,vm,%s,%s,300,0,1,1,0,,,,,,\n", name, cores, bytes)
	}

	loaded, err := load(t,
		recorded("a", 361, "1000000000")+recorded("b", 361, "1000000000")+recorded("c", 361, "1000000000")+recorded("d", 361, ""),
		line("a", "1.5", "5000000000")+line("b", "", "")+line("c", "2", "")+line("d", "", ""))
	require.NoError(t, err)
	require.Equal(t, 3, loaded.Derived)

	sizes := make([]size.Size, 0, len(loaded.Services))
	for _, s := range loaded.Services {
		sizes = append(sizes, s.Allocation)
	}

	// Derived: 0.36 cores over 53 % is 679m, rounded up to 750m; 1 GB and a quarter is rounded up to 1.5 GiB.
	require.Equal(t, []size.Size{
		{CPUMillis: 1500, MemoryBytes: 5_000_000_000, Replicas: 1},
		{CPUMillis: 750, MemoryBytes: 3 * gib / 2, Replicas: 1},
		{CPUMillis: 2000, MemoryBytes: 3 * gib / 2, Replicas: 1},
		{CPUMillis: 750, MemoryBytes: 3 * gib, Replicas: 1},
	}, sizes)
}

func TestFaultyRecordings(t *testing.T) {
	t.Parallel()

	_, err := load(t, "a,1,x,1\n", "")
	require.ErrorContains(t, err, `usage.csv:2: cpu_cores is "x"`)

	_, err = load(t, recorded("a/b", 361, ""), "")
	require.ErrorContains(t, err, `service "a/b" cannot be replayed: its name must be`)

	_, err = load(t, recorded("a", 361, ""), "b,lab,vm,1,1,300,0,1,1,0,,,,,,\n")
	require.ErrorContains(t, err, `has no line for service "a"`)

	_, err = load(t, recorded("a", 361, ""), "a,lab,vm,x,1,300,0,1,1,0,,,,,,\n")
	require.ErrorContains(t, err, `services.csv:2: prov_cpu_cores is "x"`)

	_, err = replay.Load(replay.Config{Usage: "absent.csv"})
	require.ErrorIs(t, err, os.ErrNotExist)

	_, err = replay.Load(replay.Config{Usage: "absent.csv", Services: write(t, "services.csv", servicesHeader)})
	require.ErrorContains(t, err, "holds no service")
}

func TestLimit(t *testing.T) {
	t.Parallel()

	loaded, err := replay.Load(replay.Config{
		Usage: write(t, "usage.csv", usageHeader+recorded("a", 361, "")+recorded("b", 361, "")), Limit: 1, Now: now,
	})
	require.NoError(t, err)
	require.Len(t, loaded.Services, 1)
}

// recordings is where recorded usage lies, outside the repository.
const recordings = "../../../../shared/traces"

func TestRealRecordings(t *testing.T) {
	t.Parallel()

	paths, err := filepath.Glob(filepath.Join(recordings, "*.csv.gz"))
	require.NoError(t, err)

	if len(paths) == 0 {
		t.Skip("no recordings in " + recordings)
	}

	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()

			loaded, err := replay.Load(replay.Config{
				Usage: path, Services: strings.TrimSuffix(path, ".csv.gz") + ".services.csv", Limit: 1000, Now: now,
			})
			require.NoError(t, err)
			t.Logf("%d services, %d left out, %d sizes derived", len(loaded.Services), loaded.LeftOut, loaded.Derived)

			for i := range loaded.Services {
				requireReplayable(t, &loaded.Services[i])
			}
		})
	}
}

func requireReplayable(t *testing.T, s *fleet.Service) {
	t.Helper()

	require.True(t, s.Allocation.Resources().Known(), s.Key)
	require.False(t, math.IsNaN(s.Demand(0, now).CPUCores), s.Key)

	buckets := map[int64]bool{}
	for at := range s.Samples(now.Add(-30*time.Hour), now) {
		buckets[at.Unix()/600] = true
	}

	require.Greater(t, len(buckets), 180*8/10, s.Key)
}
