package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func at(minute int64) time.Time { return time.Unix(60*minute, 0).UTC() }

// steadyPod has used one core and 4 GB for so many days, in samples of five minutes.
func steadyPod(t *testing.T, days int64) (backtest.Player, time.Time) {
	t.Helper()

	player, err := vpa(usualPercentile, margin).New(nil)
	require.NoError(t, err)

	minute := int64(5)
	for ; minute <= days*1440; minute += 5 {
		player.Observe(history.Sample{
			Time: 60 * minute, Minutes: 5, CPUMillis: 1000, MemoryBytes: 4e9, CPUKnown: true, MemoryKnown: true,
		})
	}

	return player, at(minute)
}

// target is the end of the bucket with the use, and the margin.
func target() size.Size {
	of := func(b usage.Buckets, use float64) int64 { return int64(b.End(b.Index(use)) * margin) }

	return size.Size{CPUMillis: of(usage.CPUBuckets(), 1000), MemoryBytes: of(usage.MemoryBuckets(), 4e9), Replicas: 1}
}

func requireTarget(t *testing.T, got size.Size) {
	t.Helper()

	require.InDelta(t, target().CPUMillis, got.CPUMillis, 2)
	require.InDelta(t, target().MemoryBytes, got.MemoryBytes, 8)
}

func TestVPATarget(t *testing.T) {
	player, now := steadyPod(t, 8)

	// Far above the upper bound: at once.
	requireTarget(t, player.Decide(backtest.Moment{Now: now, Allocation: size.Size{CPUMillis: 4000, MemoryBytes: 16e9, Replicas: 1}}).Size)
	// Below the lower bound too.
	requireTarget(t, player.Decide(backtest.Moment{Now: now, Allocation: size.Size{CPUMillis: 400, MemoryBytes: 16e9, Replicas: 1}}).Size)
}

// TestVPAConfidence holds that the upper bound of a pod with little history is far away: after a day twice the estimate.
func TestVPAConfidence(t *testing.T) {
	player, now := steadyPod(t, 1)
	allocation := target()
	allocation.CPUMillis = allocation.CPUMillis * 19 / 10

	require.Equal(t, allocation, player.Decide(backtest.Moment{Now: now, Allocation: allocation}).Size)

	allocation.CPUMillis = target().CPUMillis * 21 / 10
	requireTarget(t, player.Decide(backtest.Moment{Now: now, Allocation: allocation}).Size)
}

// TestVPARule holds that within the bounds a pod is left alone until it is 12 hours old, and then changed by 10 %.
func TestVPARule(t *testing.T) {
	wide := bounds{
		target: size.Resources{CPUMillis: 1100, MemoryBytes: 1000},
		upper:  size.Resources{CPUMillis: 9000, MemoryBytes: 9000},
	}
	allocation := size.Size{CPUMillis: 1000, MemoryBytes: 1000, Replicas: 1}
	ask := func(r *rule, minute int64) bool {
		return r.applies(backtest.Moment{Now: at(minute), Allocation: allocation}, wide)
	}

	var r rule

	require.False(t, ask(&r, 10))
	require.False(t, ask(&r, 10+719))
	require.True(t, ask(&r, 10+720))

	wide.target.CPUMillis = 1099

	require.False(t, ask(&r, 10+720))

	// The changes add up.
	wide.target.MemoryBytes = 999

	require.True(t, ask(&r, 10+720))

	// A kill soon after the start, of the pod or of the container that was killed before, counts for ten minutes.
	r = rule{}

	require.False(t, ask(&r, 10))
	r.kill(at(25))
	require.False(t, ask(&r, 26))
	r.kill(at(30))
	require.True(t, ask(&r, 31))
	require.False(t, ask(&r, 40))

	// Another size is another pod.
	allocation.CPUMillis = 2000

	require.False(t, ask(&r, 800))
	require.False(t, ask(&r, 800+719))
}

// TestVPAKill holds that a kill adds a sample of a fifth more than was requested.
func TestVPAKill(t *testing.T) {
	player, now := steadyPod(t, 2)
	allocation := target()
	allocation.MemoryBytes = 8e9

	player.Kill(now.Unix(), 8e9)

	got := player.Decide(backtest.Moment{Now: now, Allocation: allocation}).Size
	require.Greater(t, float64(got.MemoryBytes), 8e9*1.2*1.15)
	require.Less(t, float64(got.MemoryBytes), 8e9*1.2*1.15*1.06)
}

func TestDominance(t *testing.T) {
	numbers := func(name string, ours bool, cpuSlack, cpuShort, memorySlack, memoryShort, resizes float64) *row {
		r := &row{Name: name, Ours: ours}
		r.CPUSlack, r.CPUShortMinutes, r.MemorySlack, r.MemoryShortMinutes = &cpuSlack, &cpuShort, &memorySlack, &memoryShort
		r.Resizes = resizes

		return r
	}
	a, b := numbers("a", true, 0.3, 5, 0.2, 1, 2), numbers("b", true, 0.4, 4, 0.3, 1, 0.5)
	other := numbers("other", false, 0.4, 5, 0.3, 1, 1)

	compare([]*row{a, b, other})
	require.Equal(t, &dominance{
		CPU: []string{"a", "b"}, Memory: []string{"a"}, CPUCalm: []string{"b"}, MemoryCalm: []string{}, All: []string{"b"},
	}, other.DominatedBy)
	require.Nil(t, a.DominatedBy)

	other.Recommender = vpaKind

	var out bytes.Buffer
	require.NoError(t, tally(&out, []*row{a, b, other}))
	require.Regexp(t, `1 of 1 +1 of 1 +1 of 1 +0 of 1`, out.String())

	other.MemorySlack, other.MemoryShortMinutes, a.MemorySlack, a.MemoryShortMinutes = nil, nil, nil, nil

	compare([]*row{a, other})
	require.Equal(t, &dominance{
		CPU: []string{"a"}, Memory: []string{}, CPUCalm: []string{}, MemoryCalm: []string{}, All: []string{},
	}, other.DominatedBy)

	out.Reset()
	require.NoError(t, tally(&out, []*row{a, other}))
	require.Regexp(t, `1 of 1 +0 of 1 +- +-`, out.String())
}

func TestWithoutTraces(t *testing.T) {
	var out bytes.Buffer

	results := filepath.Join(t.TempDir(), "quality.json")
	require.NoError(t, run(t.Context(), filepath.Join(t.TempDir(), "absent"), results, &out))
	require.Contains(t, out.String(), "skipped: there is no recorded usage in")
	require.NoFileExists(t, results)
}

// TestSmallRecording compares all on a few days of one service.
func TestSmallRecording(t *testing.T) {
	var b strings.Builder

	b.WriteString("service,ts_unix,cpu_cores,mem_bytes\n")

	for i := range 3 * 288 {
		cores := "1.5"
		if i%288 > 200 {
			cores = "3"
		}

		b.WriteString("a," + strconv.Itoa(i*300) + "," + cores + ",4000000000\n")
	}

	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "small.csv.gz"), []byte(b.String()), 0o600))

	var out bytes.Buffer

	path := filepath.Join(folder, "build", "quality.json")
	require.NoError(t, run(t.Context(), folder, path, &out))
	require.Contains(t, out.String(), "small: 1 services, 2 service-days")
	require.Contains(t, out.String(), "vpa p90 x1.15 (default)")
	require.Contains(t, out.String(), "POINTS OF VPA THAT OURS DOMINATE")

	content, err := os.ReadFile(path)
	require.NoError(t, err)

	var rows []map[string]any

	require.NoError(t, json.Unmarshal(content, &rows))

	kinds := map[string]int{}

	for _, r := range rows {
		kinds[r["recommender"].(string)]++

		for _, field := range []string{"cpu_slack", "mem_slack", "cpu_under_min_per_day", "mem_under_min_per_day", "resizes_per_day"} {
			require.IsType(t, 0., r[field], field)
		}

		require.Equal(t, "small", r["source"])
		require.IsType(t, map[string]any{}, r["params"])
	}

	require.Equal(t, map[string]int{
		"stable": 1, "balanced": 1, "lean": 1, "least_cost": len(settings), "vpa": 16, "window-3h": 1, "window-30h": 1, "static-2x": 1,
	}, kinds)
}

// TestRecordedUsage replays the smallest of the real recordings, where there are any.
func TestRecordedUsage(t *testing.T) {
	recordings, err := findRecordings("../../../shared/traces")
	require.NoError(t, err)

	if len(recordings) == 0 {
		t.Skip("no recorded usage in ../../../shared/traces")
	}

	all, err := entries()
	require.NoError(t, err)

	for _, recording := range recordings {
		if recording.name != "google2011-machines" {
			continue
		}

		rows, err := play(t.Context(), recording, all)
		require.NoError(t, err)
		require.Len(t, rows, len(all))
	}
}
