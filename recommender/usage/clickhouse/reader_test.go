package clickhouse

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

const (
	cpu        = clickhouseschema.MetricCPU
	resident   = clickhouseschema.MetricResident
	query      = clickhouseschema.MetricQueryMemory
	rejections = clickhouseschema.MetricRejections
	kill       = clickhouseschema.MetricOOMKill
)

// noon is a fixed clock: 12:00:30 on the present day, so that minutes are easy to name and no row is too old to keep.
func noon() time.Time {
	return time.Now().UTC().Truncate(24 * time.Hour).Add(12*time.Hour + 30*time.Second)
}

func (e *engine) readAt(now time.Time, service string, windows ...time.Duration) usage.Snapshot {
	e.tb.Helper()

	snapshots, err := e.readerAt(now).Read(e.tb.Context(), []string{service}, usage.Request{Windows: windows})
	if err != nil {
		e.tb.Fatal(err)
	}

	return snapshots[service]
}

func TestReadOfUnknownServices(t *testing.T) {
	e := startEngine(t)

	snapshots, err := e.readerAt(time.Time{}).Read(t.Context(),
		[]string{"a/b", "it's/odd", `back\slash/%d`, "a/b"}, usage.Request{Windows: []time.Duration{time.Hour, 10 * time.Minute, time.Hour}})
	if err != nil {
		t.Fatal(err)
	}

	if len(snapshots) != 3 {
		t.Fatalf("got %d snapshots, want 3: %v", len(snapshots), snapshots)
	}

	for service, got := range snapshots {
		if age := time.Since(got.ReadTime).Abs(); age > time.Minute {
			t.Errorf("%s: the server's clock is read as %s", service, got.ReadTime)
		}

		want := usage.Snapshot{
			Service: service, ReadTime: got.ReadTime,
			Windows: []usage.Window{{Length: 10 * time.Minute}, {Length: time.Hour}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", service, diff)
		}
	}
}

func TestReadWithTheServersClock(t *testing.T) {
	e := startEngine(t)
	now := time.Now()

	e.insert(
		sample{"a/b", "r", cpu, now.Add(-2 * time.Minute), 1.5},
		sample{"a/b", "r", resident, now.Add(-2 * time.Minute), 7},
		sample{"a/b", "r", cpu, now.Add(-2 * time.Hour), 3},
	)

	got := e.readAt(time.Time{}, "a/b", time.Hour, 3*time.Hour)
	if short, long := got.Windows[0].CPUPeakMillis, got.Windows[1].CPUPeakMillis; short != 1500 || long != 3000 {
		t.Errorf("CPU peaks are %d and %d, want 1500 and 3000", short, long)
	}

	if want := now.Add(-2 * time.Minute).UTC().Truncate(time.Millisecond); !got.NewestSample.Equal(want) {
		t.Errorf("newest sample at %s, want %s", got.NewestSample, want)
	}
}

// A window of an hour, read at 12:00:30, holds the minutes 11:01 to 12:00.
func TestWindowBoundsAreHard(t *testing.T) {
	e := startEngine(t)
	now := noon()
	minute := now.Truncate(time.Minute)

	for _, test := range []struct {
		name   string
		at     time.Time
		inside bool
	}{
		{"one minute too old", minute.Add(-time.Hour), false},
		{"the last millisecond of that minute", minute.Add(-59*time.Minute - time.Millisecond), false},
		{"the first minute", minute.Add(-59 * time.Minute), true},
		{"the present minute", minute, true},
		{"later in the present minute", minute.Add(59_999 * time.Millisecond), true},
		{"the next minute", minute.Add(time.Minute), false},
	} {
		service := "edge/" + strings.ReplaceAll(test.name, " ", "-")

		e.insert(
			sample{service, "r", cpu, test.at, 4}, sample{service, "r", resident, test.at, 100},
			sample{service, "r", query, test.at, 50}, sample{service, "r", rejections, test.at, 3},
			sample{service, "r", kill, test.at, 90},
		)

		want := usage.Snapshot{Service: service, ReadTime: now, Windows: []usage.Window{{Length: time.Hour}}}
		if test.inside {
			want.NewestSample = test.at
			if test.at.After(now) {
				want.NewestSample = now
			}

			want.Windows[0] = usage.Window{
				Length: time.Hour, Coverage: 1. / 6, CPUPeakMillis: 4000, QueryMemoryPeakBytes: 50,
				ResidentMemoryPeakBytes: 100, ResidentMemoryMedianBytes: 100,
				MemoryRejections: 3, OOMKills: 1, OOMKillResidentBytes: 90,
				RejectionResidentBytes: 100, NewestRejectionTime: want.NewestSample, NewestOOMKillTime: want.NewestSample,
			}
		}

		if diff := cmp.Diff(want, e.readAt(now, service, time.Hour)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A spike of one minute is smoothed away in the middle of a window. It must not become the peak when it is about to
// leave the window, nor when it has left it.
func TestSpikeThatLeavesTheWindow(t *testing.T) {
	e := startEngine(t)
	start := noon().Truncate(time.Minute)

	samples := make([]sample, 0, 90)

	for i := range 90 {
		cores := 1.0
		if i == 15 {
			cores = 64
		}

		samples = append(samples, sample{"a/spike", "r", cpu, start.Add(time.Duration(i) * time.Minute), cores})
	}

	e.insert(samples...)

	for i := 70; i < 79; i++ {
		now := start.Add(time.Duration(i) * time.Minute)
		if got := e.readAt(now, "a/spike", time.Hour).Windows[0].CPUPeakMillis; got != 1000 {
			t.Errorf("after %d minutes the peak is %d, want 1000", i, got)
		}
	}
}

// A recommender takes 0 for not measured, and would keep an idle service as large as it is for ever.
func TestIdleIsNotUnmeasured(t *testing.T) {
	e := startEngine(t)
	now := noon()

	e.insert(
		sample{"a/idle", "r", cpu, now.Add(-time.Minute), 0},
		sample{"a/idle", "r", clickhouseschema.MetricResident, now.Add(-time.Minute), 1 << 30},
		sample{"a/unmeasured", "r", clickhouseschema.MetricResident, now.Add(-time.Minute), 1 << 30},
	)

	for service, want := range map[string]int64{"a/idle": 1, "a/unmeasured": 0} {
		if got := e.readAt(now, service, time.Hour).Windows[0].CPUPeakMillis; got != want {
			t.Errorf("%s: the peak is %d, want %d", service, got, want)
		}
	}
}

func TestCPUIsTheHighestReplicasMedian(t *testing.T) {
	e := startEngine(t)
	now := noon()

	samples := make([]sample, 0, 140)

	for i := range 20 {
		at := now.Add(-time.Duration(i) * time.Minute)
		samples = append(samples,
			// Two scrapes make the minute's mean 2 and 3.
			sample{"a/cpu", "r1", cpu, at, 1}, sample{"a/cpu", "r1", cpu, at.Add(-20 * time.Second), 3},
			sample{"a/cpu", "r2", cpu, at, 4 - float64(i%2)*2},
			sample{"a/cpu", "r3", cpu, at, math.NaN()}, sample{"a/cpu", "r3", cpu, at, math.Inf(1)},
			sample{"a/cpu", "r3", cpu, at, -5}, sample{"a/cpu", "r3", cpu, at, 2e6},
		)
	}

	e.insert(samples...)

	got := e.readAt(now, "a/cpu", 30*time.Minute).Windows[0]
	if got.CPUPeakMillis != 3000 {
		t.Errorf("the peak is %d, want 3000: the median of five 2 and five 4", got.CPUPeakMillis)
	}

	if got.Coverage != 0 {
		t.Errorf("coverage is %v although no memory is known", got.Coverage)
	}
}

func TestLateAndRepeatedRowsChangeNothing(t *testing.T) {
	e := startEngine(t)
	now := noon()

	samples := make([]sample, 0, 48)
	for i := range 12 {
		at := now.Add(-time.Duration(i) * 3 * time.Minute)
		samples = append(samples,
			sample{"a/late", "r", cpu, at, float64(i%7) / 4}, sample{"a/late", "r", resident, at, float64(i % 11)},
			sample{"a/late", "r", rejections, at, float64(i % 3)}, sample{"a/late", "r", kill, at, float64(i%2) * 9},
		)
	}

	for i := range samples {
		e.insert(samples[len(samples)-1-i])
	}

	split := e.readAt(now, "a/late", 30*time.Minute)

	e.merge()

	merged := e.readAt(now, "a/late", 30*time.Minute)
	if diff := cmp.Diff(split, merged); diff != "" {
		t.Errorf("a merge changed the answer (-before +after):\n%s", diff)
	}

	e.insert(samples...)

	if diff := cmp.Diff(split, e.readAt(now, "a/late", 30*time.Minute)); diff != "" {
		t.Errorf("inserting all once more changed the answer (-before +after):\n%s", diff)
	}
}

func TestReadHasTheLatestAllocation(t *testing.T) {
	e := startEngine(t)
	now := noon()
	table := e.config.Names.Qualified(e.config.Names.Allocations)

	for i, millis := range []int64{500, 2000, 1000} {
		at := now.Add(time.Duration([]int{0, 20, 10}[i]) * time.Second)
		e.execf("INSERT INTO %s VALUES ('a/b', %d, 4096, 3, {'tier':'gold'}, fromUnixTimestamp64Milli(%d))", table, millis, at.UnixMilli())
	}

	got := e.readAt(now, "a/b", time.Hour)
	want := usage.Snapshot{
		Service: "a/b", Allocation: size.Size{CPUMillis: 2000, MemoryBytes: 4096, Replicas: 3},
		AllocationTime: now.Add(20 * time.Second), Labels: map[string]string{"tier": "gold"},
		Windows: []usage.Window{{Length: time.Hour}}, ReadTime: now,
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The answer must not depend on the zone of the session, of which half-hour ones are the worst.
func TestReadInOtherZones(t *testing.T) {
	e := startEngine(t)
	now := noon()

	e.insert(
		sample{"a/zone", "r", cpu, now.Add(-9 * time.Minute), 2}, sample{"a/zone", "r", resident, now.Add(-9 * time.Minute), 2},
		sample{"a/zone", "r", cpu, now.Add(-59 * time.Minute), 3}, sample{"a/zone", "r", cpu, now.Add(-60 * time.Minute), 9},
	)

	want := e.readAt(now, "a/zone", time.Hour)
	if want.Windows[0].CPUPeakMillis != 3000 {
		t.Fatalf("unexpected %+v", want)
	}

	for _, zone := range []string{"Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"} {
		ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"session_timezone": zone}))

		got, err := e.readerAt(now).Read(ctx, []string{"a/zone"}, usage.Request{Windows: []time.Duration{time.Hour}})
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want, got["a/zone"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", zone, diff)
		}
	}
}
