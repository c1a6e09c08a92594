package agent

import (
	"strconv"
	"strings"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Line shows a recommendation as one line for people, without a line end:
//
//	prod/orders-db  up  1 core -> 1.5 cores, 4Gi -> 8Gi, 3 replicas  [observe only]  (memory rejected)  rev 42
func Line(recommendation *tidemarkv1.Recommendation) string {
	parts := []string{
		recommendation.GetService(),
		DirectionName(recommendation.GetDirection()),
		change(recommendation.GetAllocation(), recommendation.GetRecommended()),
	}

	if !Actionable(recommendation) {
		parts = append(parts, "["+tidemark.FormatEnum(recommendation.GetMode())+"]")
	}

	if status := recommendation.GetStatus(); status != tidemarkv1.Status_STATUS_OK {
		parts = append(parts, tidemark.FormatEnum(status))
	}

	if reasons := recommendation.GetReasons(); len(reasons) > 0 {
		parts = append(parts, "("+strings.Join(ReasonNames(reasons), ", ")+")")
	}

	return strings.Join(append(parts, "rev "+strconv.FormatInt(recommendation.GetRevision(), 10)), "  ")
}

// DirectionName is the direction in a word: "up", "down", "same".
func DirectionName(direction tidemarkv1.Direction) string {
	if direction == tidemarkv1.Direction_DIRECTION_NONE {
		return "same"
	}

	return tidemark.FormatEnum(direction)
}

// ReasonNames are the reasons in words: "memory rejected".
func ReasonNames(reasons []tidemarkv1.Reason) []string {
	names := make([]string, len(reasons))
	for i, reason := range reasons {
		names[i] = tidemark.FormatEnum(reason)
	}

	return names
}

// change shows two sizes part by part: "1 core -> 1.5 cores, 8Gi".
func change(from, to *tidemarkv1.Size) string {
	if from == nil || to == nil {
		return tidemark.FormatSize(from) + " -> " + tidemark.FormatSize(to)
	}

	var parts []string

	add := func(same, given bool, from, to string) {
		switch {
		case !given:
		case same:
			parts = append(parts, to)
		default:
			parts = append(parts, from+" -> "+to)
		}
	}

	add(from.GetCpuMillis() == to.GetCpuMillis(), to.GetCpuMillis() != 0,
		tidemark.FormatCPU(from.GetCpuMillis()), tidemark.FormatCPU(to.GetCpuMillis()))
	add(from.GetMemoryBytes() == to.GetMemoryBytes(), to.GetMemoryBytes() != 0,
		tidemark.FormatMemory(from.GetMemoryBytes()), tidemark.FormatMemory(to.GetMemoryBytes()))
	add(from.GetReplicas() == to.GetReplicas(), to.GetReplicas() != 0,
		strconv.FormatInt(int64(from.GetReplicas()), 10), tidemark.FormatReplicas(to.GetReplicas()))

	return strings.Join(parts, ", ")
}
