package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSmallRun runs everything with next to no keys.
func TestSmallRun(t *testing.T) {
	small := plan{
		sizes: []sizePlan{{50, 2}, {200, 2}}, operations: 300,
		callRounds: 2, calls: 200, batches: 4, batchSize: 50,
	}

	var out bytes.Buffer

	path := filepath.Join(t.TempDir(), "build", "queue.json")
	require.NoError(t, runAll(t.Context(), small, path, &out))
	require.Contains(t, out.String(), "grpc_unary_ratio")

	content, err := os.ReadFile(path)
	require.NoError(t, err)

	var results map[string]any

	require.NoError(t, json.Unmarshal(content, &results))

	for name := range basis {
		require.Contains(t, results, name)
		require.Positive(t, results[name], name)
	}

	seen := make(map[string]int)

	for _, r := range results["rows"].([]any) {
		fields := r.(map[string]any)
		seen[fields["queue"].(string)]++

		require.Positive(t, fields["wall_ns_per_op"])

		if fields["queue"] == oursName || fields["queue"] == mixedOursName {
			require.InDelta(t, 1, fields["ratio"], 1e-9)
		}
	}

	const cases, sizes = 6, 2

	require.Equal(t, map[string]int{
		plainName: cases * sizes, limitedName: cases * sizes, oursName: cases * sizes, priorityName: cases * sizes,
		mixedOursName: cases * sizes, mixedPriorityName: cases * sizes,
	}, seen)
}

// TestSummary holds that the bars are set on the worst of the sizes.
func TestSummary(t *testing.T) {
	rows := make([]*row, 0, 40)

	for _, size := range []int{10, 1000} {
		for _, name := range []string{cycle, cycleWorkers, duplicate, duplicateMany} {
			for _, queue := range []string{plainName, priorityName, mixedPriorityName, limitedName, oursName} {
				rows = append(rows, &row{Case: name, Size: size, Queue: queue, CPUNsPerOp: 100, Ratio: 1, CPURatio: 1})
			}
		}
	}

	find := func(size int, name, queue string) *row {
		for _, r := range rows {
			if r.Size == size && r.Case == name && r.Queue == queue {
				return r
			}
		}

		return nil
	}
	find(10, cycleWorkers, plainName).Ratio = 1.7
	find(1000, cycleWorkers, priorityName).Ratio = 1.2
	find(10, cycleWorkers, mixedPriorityName).Ratio = 0.4
	find(1000, cycleWorkers, mixedPriorityName).Ratio = 0.3
	find(1000, duplicateMany, plainName).Ratio = 3
	find(1000, cycle, oursName).CPUNsPerOp = 250
	find(1000, cycleWorkers, oursName).CPUNsPerOp = 300
	find(1000, cycleWorkers, plainName).CPUNsPerOp = 400
	find(10, duplicate, oursName).CPUNsPerOp = 140

	s := summariseAll(rows, []*footprint{{plainName, 1000, 90}, {oursName, 1000, 200}}, []*rate{
		{Case: unaryDistinct, Ratio: 0.9}, {Case: unaryDuplicate, Ratio: 0.7}, {Case: batchDistinct, PerSecond: 5},
	})

	require.InDelta(t, 1.7, s.RatioPlain, 1e-9)
	require.InDelta(t, 1.2, s.RatioPriorityQueue, 1e-9)
	require.InDelta(t, 0.4, s.RatioMixedPriorityQueue, 1e-9)
	require.InDelta(t, 3, s.RatioDuplicatePlain, 1e-9)
	require.InDelta(t, 1, s.RatioDuplicatePriorityQueue, 1e-9)
	require.InDelta(t, 2.5, s.Growth, 1e-9)
	require.InDelta(t, 3, s.GrowthWorkers, 1e-9)
	require.InDelta(t, 4, s.GrowthWorkersPlain, 1e-9)
	require.InDelta(t, 140, s.DuplicateNs, 1e-9)
	require.InDelta(t, 200, s.BytesPerItem, 1e-9)
	require.InDelta(t, 0.7, s.GRPCUnaryRatio, 1e-9)
	require.InDelta(t, 5, s.BatchItemsPerSecond, 1e-9)
}

// TestSummarise holds that rounds are compared one by one: a round in which the machine was slow says as much as another.
func TestSummarise(t *testing.T) {
	ours := []sample{{wall: 20, cpu: 30}, {wall: 200, cpu: 300}, {wall: 22, cpu: 40}}
	peer := []sample{{wall: 10, cpu: 10}, {wall: 100, cpu: 100}, {wall: 11, cpu: 10}}

	alone := summarise(&workload{}, peer, ours)
	require.InDelta(t, 10, alone.NsPerOp, 1e-9)
	require.InDelta(t, 3, alone.Ratio, 1e-9)

	together := summarise(&workload{concurrent: true}, peer, ours)
	require.InDelta(t, 11, together.NsPerOp, 1e-9)
	require.InDelta(t, 2, together.Ratio, 1e-9)
	require.InDelta(t, 3, together.CPURatio, 1e-9)
}

// TestSameKeys holds that the duplicates are the distinct keys, in another order.
func TestSameKeys(t *testing.T) {
	k := newKeys(1000)
	require.ElementsMatch(t, k.first, k.again)
	require.NotEqual(t, k.first, k.again)
	require.Equal(t, "tenant-07/service-0000007", k.first[7])
}
