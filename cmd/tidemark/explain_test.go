package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

func gibibytes(n float64) int64 { return int64(n * (1 << 30)) }

// explained is a service that grows on refused requests, as far as the policy lets it.
func explained() *tidemarkv1.Recommendation {
	size := func(cpuMillis int64, memory float64) *tidemarkv1.Size {
		return &tidemarkv1.Size{CpuMillis: cpuMillis, MemoryBytes: gibibytes(memory), Replicas: 3}
	}

	return &tidemarkv1.Recommendation{
		Service: "prod/orders-db", Revision: 7,
		Allocation: size(4_000, 8), Recommended: size(7_250, 10), Observed: size(7_250, 10), Uncapped: size(7_166, 12),
		Direction: tidemarkv1.Direction_DIRECTION_UP, Mode: tidemarkv1.Mode_MODE_ENFORCE,
		Status: tidemarkv1.Status_STATUS_LIMITED, Disruption: tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING,
		Reasons: []tidemarkv1.Reason{
			tidemarkv1.Reason_REASON_CPU_ABOVE_BAND, tidemarkv1.Reason_REASON_MEMORY_REJECTED, tidemarkv1.Reason_REASON_LIMITED_BY_MAX,
		},
		Policy:       &tidemarkv1.PolicyRef{Name: "gold", Hash: "0123456789abcdef"},
		EvaluateTime: timestamppb.New(noon.Add(-5 * time.Second)), ExpireTime: timestamppb.New(noon.Add(time.Hour)),
		Triggers: []*tidemarkv1.TriggerRecord{{
			Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Detail: "memory_rejections=3",
			ObservedTime: timestamppb.New(noon.Add(-9 * time.Second)), Count: 1,
		}},
		Explanation: &tidemarkv1.Explanation{
			Recommender: "two_window",
			Data:        &tidemarkv1.DataQuality{NewestSampleTime: timestamppb.New(noon.Add(-20 * time.Second)), CpuMayFall: true},
			Parameters:  []*tidemarkv1.Parameter{{Name: "cpu_target", Value: 0.5303}, {Name: "small_window_seconds", Value: 10_800}},
			Windows: []*tidemarkv1.WindowExplanation{
				{
					Name: "small",
					Usage: &tidemarkv1.WindowUsage{
						Length: durationpb.New(3 * time.Hour), Coverage: 1, CpuPeakMillis: 3_800,
						ResidentMemoryPeakBytes: gibibytes(8), ResidentMemoryMedianBytes: gibibytes(6),
						MemoryRejections: 3, RejectionResidentBytes: gibibytes(8),
					},
					Cpu: &tidemarkv1.CpuExplanation{
						Position:      tidemarkv1.BandPosition_BAND_POSITION_ABOVE,
						BandLowMillis: 1_500, BandHighMillis: 3_000, TargetMillis: 7_166, NeedMillis: 7_166,
					},
					Memory: &tidemarkv1.MemoryExplanation{
						MemoryClass: tidemarkv1.MemoryClass_MEMORY_CLASS_STABLE, VariationRatio: 1.333, Multiplier: 1.25,
						ResidentTermBytes: gibibytes(10), RejectionMultiplier: 1.5, RejectionTermBytes: gibibytes(12),
						Term: tidemarkv1.MemoryTerm_MEMORY_TERM_REJECTION, TargetBytes: gibibytes(12), NeedBytes: gibibytes(12),
					},
					Need: size(7_166, 12), Fitted: size(7_250, 10), Verdict: tidemarkv1.Direction_DIRECTION_UP,
				},
				{Name: "large", Empty: true, Usage: &tidemarkv1.WindowUsage{Length: durationpb.New(30 * time.Hour)}},
			},
			Merges: []*tidemarkv1.MergeExplanation{{
				Scope: tidemarkv1.Resource_RESOURCE_CPU, Large: tidemarkv1.Direction_DIRECTION_NONE,
				Small: tidemarkv1.Direction_DIRECTION_UP, Picked: tidemarkv1.WindowPick_WINDOW_PICK_SMALL, Impossible: true,
			}},
			Adjustments: []*tidemarkv1.Adjustment{
				{Stage: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_STEP, Resource: tidemarkv1.Resource_RESOURCE_CPU, Before: 7_166, After: 7_250},
				{
					Stage: tidemarkv1.AdjustmentStage_ADJUSTMENT_STAGE_BOUNDS, Resource: tidemarkv1.Resource_RESOURCE_MEMORY,
					Before: gibibytes(12), After: gibibytes(10), Limited: true,
				},
			},
		},
	}
}

func TestExplainTellsTheWholeStory(t *testing.T) {
	require.Equal(t, `prod/orders-db should grow from 4 cores, 8Gi, 3 replicas to 7.25 cores, 10Gi, 3 replicas.

Why
  The CPU peak is above the upper threshold of the allocation.
  Refused requests raised the need for memory above the peak and its headroom.
  The policy's maximum leaves the size below the need.
  It needs 7.166 cores, 12Gi, 3 replicas; the policy does not allow that.

What was seen
  The newest sample was taken 20s ago.
  small window, 3h: CPU peak 3.8 cores, memory peak 8Gi (median 6Gi), 3 requests refused for lack of memory, at 8Gi, 100 % covered
  large window, 30h: no data
  That is not enough to lower memory and replicas.

What it needs, by the two_window recommender
  small window, CPU: the peak is above the band from 1.5 cores to 3 cores, so 3.8 cores / 0.53 = 7.166 cores
  small window, memory (stable, peak / median 1.33): resident 8Gi x 1.25 = 10Gi; refused 8Gi x 1.5 = 12Gi; the largest counts: rejection
  small window: needs 7.166 cores, 12Gi, 3 replicas, which the policy makes 7.25 cores, 10Gi, 3 replicas: up
  cpu: large says same, small says up; taken: small

From the need to the answer
  need: 7.166 cores, 12Gi, 3 replicas
  step: cpu 7.166 cores -> 7.25 cores
  bounds: memory 12Gi -> 10Gi, below the need
  answer: 7.25 cores, 10Gi, 3 replicas

The constants
  cpu target: 0.5303
  small window: 3h0m0s

When
  Evaluated 5s ago, revision 7; it expires in 60m.
  Asked for: signal by clickhouse, 9s ago: memory_rejections=3.
  Policy gold, version 0123456789abcdef; mode enforce; a change may be: rolling.`,
		strings.Join(account(explained(), noon), "\n"))
}

func TestExplainSaysFactsOfOtherRecommenders(t *testing.T) {
	r := explained()
	r.Direction, r.Recommended = tidemarkv1.Direction_DIRECTION_DOWN, &tidemarkv1.Size{CpuMillis: 2_300, MemoryBytes: gibibytes(4)}
	r.Observed = &tidemarkv1.Size{CpuMillis: 2_300, MemoryBytes: gibibytes(2)}
	r.ExpireTime = timestamppb.New(noon.Add(-time.Minute))
	r.Explanation = &tidemarkv1.Explanation{
		Recommender: "least_cost",
		Facts: []*tidemarkv1.Parameter{
			{Name: "cpu_best_millis", Value: 2_300},
			{Name: "cpu_best_short_share", Value: 0.001},
			{Name: "memory_best_bytes", Value: float64(gibibytes(4))},
		},
	}
	text := strings.Join(account(r, noon), "\n")

	for _, want := range []string{
		"prod/orders-db should shrink from 4 cores, 8Gi, 3 replicas to 2.3 cores, 4Gi.",
		"If what is only observed were enforced, it would be 2.3 cores, 2Gi.",
		"cpu best: 2.3 cores\n  cpu best short share: 0.001\n  memory best: 4Gi",
		"it expired 60s ago and is not to be acted on",
	} {
		require.Contains(t, text, want)
	}
}

func TestExplainOfWhatIsNot(t *testing.T) {
	require.Contains(t, strings.Join(account(&tidemarkv1.Recommendation{Service: "a/b"}, noon), "\n"), "a/b has no known size")

	failed := explained()
	failed.Status, failed.Failure = tidemarkv1.Status_STATUS_FAILED, &tidemarkv1.Failure{Message: "usage store: timed out"}
	require.Equal(t, "prod/orders-db could not be evaluated: usage store: timed out.", account(failed, noon)[0])

	older := explained()
	older.Failure = &tidemarkv1.Failure{Message: "usage store: timed out", Attempts: 2, FailureTime: timestamppb.New(noon)}
	require.Contains(t, strings.Join(account(older, noon), "\n"), "The latest evaluation failed: usage store: timed out (attempt 2")

	stays := explained()
	stays.Direction = tidemarkv1.Direction_DIRECTION_NONE
	require.Contains(t, account(stays, noon)[0], "should stay at 4 cores")
}

// Every published reason has the sentence of its documentation.
func TestEveryReasonHasItsSentence(t *testing.T) {
	proto, err := os.ReadFile("../../proto/tidemark/v1/reason.proto")
	require.NoError(t, err)

	found := regexp.MustCompile(`((?:  // .*\n)+)  (REASON_\w+) = (\d+);`).FindAllStringSubmatch(string(proto), -1)
	require.Len(t, found, len(tidemarkv1.Reason_name))

	for _, match := range found {
		var words []string
		for line := range strings.Lines(match[1]) {
			words = append(words, strings.TrimPrefix(strings.TrimSpace(line), "// "))
		}

		reason := tidemarkv1.Reason(tidemarkv1.Reason_value[match[2]])
		if reason != tidemarkv1.Reason_REASON_UNSPECIFIED {
			require.Equal(t, strings.Join(words, " "), reasonText(reason))
		}
	}

	require.Equal(t, "9999", reasonText(9999))
}
