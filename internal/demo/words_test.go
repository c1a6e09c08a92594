package demo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestTimeline(t *testing.T) {
	t.Parallel()

	sent := time.Unix(1000, 0)

	require.Equal(t, []string{
		` +1100 ms  the source "clickhouse" has seen it and asks for an evaluation (memory_rejections=2)`,
		` +1190 ms  the server has evaluated it: up (cpu within band, memory rejected)`,
	}, timeline(&tidemarkv1.Recommendation{
		Direction:    tidemarkv1.Direction_DIRECTION_UP,
		EvaluateTime: timestamppb.New(sent.Add(1190 * time.Millisecond)),
		Reasons:      []tidemarkv1.Reason{tidemarkv1.Reason_REASON_CPU_WITHIN_BAND, tidemarkv1.Reason_REASON_MEMORY_REJECTED},
		Triggers: []*tidemarkv1.TriggerRecord{
			{Trigger: tidemarkv1.Trigger_TRIGGER_PERIODIC, Source: "cron"},
			{
				Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Detail: "memory_rejections=2",
				EnqueueTime: timestamppb.New(sent.Add(1100 * time.Millisecond)),
			},
		},
	}, sent))
}

func TestWhy(t *testing.T) {
	t.Parallel()

	require.Equal(t, []string{
		"in the last 3 h: CPU peak 500m is within 375m to 750m, so it stays; " +
			"2 refused requests at a memory peak of 4Gi, so 6Gi are needed (half as much again)",
		"memory: the long window says up, the short one up, so the long one decides",
		"step: memory from 6Gi to 6.5Gi",
		"bounds: cpu from 2 cores to 1 core, less than is needed",
	}, why(&tidemarkv1.Recommendation{Explanation: &tidemarkv1.Explanation{
		Windows: []*tidemarkv1.WindowExplanation{{
			Usage: &tidemarkv1.WindowUsage{
				Length: durationpb.New(3 * time.Hour), CpuPeakMillis: 500, ResidentMemoryPeakBytes: 4 * gib, MemoryRejections: 2,
			},
			Cpu: &tidemarkv1.CpuExplanation{
				Position: tidemarkv1.BandPosition_BAND_POSITION_WITHIN, BandLowMillis: 375, BandHighMillis: 750,
			},
			Memory: &tidemarkv1.MemoryExplanation{Term: tidemarkv1.MemoryTerm_MEMORY_TERM_REJECTION, NeedBytes: 6 * gib},
		}},
		Merges: []*tidemarkv1.MergeExplanation{
			{
				Scope: tidemarkv1.Resource_RESOURCE_CPU,
				Large: tidemarkv1.Direction_DIRECTION_NONE, Small: tidemarkv1.Direction_DIRECTION_NONE,
			},
			{
				Scope: tidemarkv1.Resource_RESOURCE_MEMORY, Picked: tidemarkv1.WindowPick_WINDOW_PICK_LARGE,
				Large: tidemarkv1.Direction_DIRECTION_UP, Small: tidemarkv1.Direction_DIRECTION_UP,
			},
		},
		Adjustments: []*tidemarkv1.Adjustment{
			{
				Stage: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_STEP, Resource: tidemarkv1.Resource_RESOURCE_MEMORY,
				Before: 6 * gib, After: 13 * gib / 2,
			},
			{
				Stage: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_BOUNDS, Resource: tidemarkv1.Resource_RESOURCE_CPU,
				Before: 2000, After: 1000, Limited: true,
			},
		},
	}}))
}

func TestWordsForEveryCase(t *testing.T) {
	t.Parallel()

	window := &tidemarkv1.WindowExplanation{
		Usage:  &tidemarkv1.WindowUsage{CpuPeakMillis: 900, ResidentMemoryPeakBytes: gib, QueryMemoryPeakBytes: gib / 2, OomKills: 1},
		Cpu:    &tidemarkv1.CpuExplanation{BandLowMillis: 375, BandHighMillis: 750, NeedMillis: 1698},
		Memory: &tidemarkv1.MemoryExplanation{NeedBytes: 2 * gib},
	}

	for position, want := range map[tidemarkv1.BandPosition]string{
		tidemarkv1.BandPosition_BAND_POSITION_ABOVE:   "CPU peak 900m is above 375m to 750m, so 1.698 cores are needed",
		tidemarkv1.BandPosition_BAND_POSITION_BELOW:   "CPU peak 900m is below 375m to 750m, so 1.698 cores would do",
		tidemarkv1.BandPosition_BAND_POSITION_UNKNOWN: "CPU is not known, so it stays",
	} {
		window.Cpu.Position = position
		require.Equal(t, want, cpuWords(window))
	}

	for term, want := range map[tidemarkv1.MemoryTerm]string{
		tidemarkv1.MemoryTerm_MEMORY_TERM_RESIDENT:   "memory peak 1Gi, with headroom 2Gi",
		tidemarkv1.MemoryTerm_MEMORY_TERM_QUERY:      "queries held 512Mi, with headroom 2Gi",
		tidemarkv1.MemoryTerm_MEMORY_TERM_OOM_KILL:   "1 kills for lack of memory, so 2Gi are needed",
		tidemarkv1.MemoryTerm_MEMORY_TERM_ALLOCATION: "memory is not known, so it stays",
	} {
		window.Memory.Term = term
		require.Equal(t, want, memoryWords(window))
	}

	require.Equal(t, "CPU and memory: the long window says down, the short one same, so it stays as it is",
		mergeWords(&tidemarkv1.MergeExplanation{
			Scope: tidemarkv1.Resource_RESOURCE_JOINT, Picked: tidemarkv1.WindowPick_WINDOW_PICK_HOLD,
			Large: tidemarkv1.Direction_DIRECTION_DOWN, Small: tidemarkv1.Direction_DIRECTION_NONE,
		}))
}
