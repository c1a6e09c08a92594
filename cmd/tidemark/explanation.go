package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// printExplanation prints how a recommendation was come to: what was seen, which window was trusted, and every step from
// the need to the answer. The numbers behind it all are in the JSON.
func printExplanation(out io.Writer, e *tidemarkv1.Explanation) error {
	if e == nil {
		return nil
	}

	if err := printLine(out, "  why ("+e.GetRecommender()+")"); err != nil {
		return err
	}

	rows := newTable(out)

	if len(e.GetWindows()) > 0 {
		rows.row("    WINDOW", "COVERED", "CPU PEAK", "MEMORY PEAK", "REJECTED", "OOM KILLS", "NEEDS", "FITTED", "VERDICT")
	}

	for _, window := range e.GetWindows() {
		rows.row(windowCells(window)...)
	}

	if err := rows.flush(); err != nil {
		return err
	}

	for _, merge := range e.GetMerges() {
		if err := printLine(out, "    "+mergeText(merge)); err != nil {
			return err
		}
	}

	for _, adjustment := range e.GetAdjustments() {
		if err := printLine(out, "    "+adjustmentText(adjustment)); err != nil {
			return err
		}
	}

	return nil
}

func windowCells(w *tidemarkv1.WindowExplanation) []string {
	usage := w.GetUsage()
	name := strings.TrimSpace(w.GetName() + " " + span(usage.GetLength().AsDuration()))

	if w.GetEmpty() {
		return []string{"    " + name, "no data", "-", "-", "-", "-", "-", "-", "same"}
	}

	return []string{
		"    " + name,
		fmt.Sprintf("%.0f %%", usage.GetCoverage()*100), //nolint:mnd // percent
		tidemark.FormatCPU(usage.GetCpuPeakMillis()),
		tidemark.FormatMemory(max(usage.GetResidentMemoryPeakBytes(), usage.GetQueryMemoryPeakBytes())),
		strconv.FormatInt(usage.GetMemoryRejections(), 10),
		strconv.FormatInt(usage.GetOomKills(), 10),
		tidemark.FormatSize(w.GetNeed()),
		tidemark.FormatSize(w.GetFitted()),
		agent.DirectionName(w.GetVerdict()),
	}
}

// mergeText says whose need was taken: "cpu: large says down, small says same; taken: small (trending up)".
func mergeText(m *tidemarkv1.MergeExplanation) string {
	scope := tidemark.FormatEnum(m.GetScope())
	if m.GetScope() == tidemarkv1.Resource_RESOURCE_JOINT {
		scope = "cpu and memory"
	}

	text := fmt.Sprintf("%s: large says %s, small says %s; taken: %s", scope,
		agent.DirectionName(m.GetLarge()), agent.DirectionName(m.GetSmall()), tidemark.FormatEnum(m.GetPicked()))

	switch hunting := m.GetHunting(); {
	case hunting == nil:
		return text
	case hunting.GetPreviousTime() == nil:
		return text + " (trend unknown yet)"
	case hunting.GetTrendingUp():
		return text + " (trending up)"
	default:
		return text + " (not trending up)"
	}
}

// adjustmentText says what a step did: "bounds: memory 12Gi -> 8Gi, below the need".
func adjustmentText(a *tidemarkv1.Adjustment) string {
	text := fmt.Sprintf("%s: %s %s -> %s", tidemark.FormatEnum(a.GetStage()), tidemark.FormatEnum(a.GetResource()),
		amount(a.GetResource(), a.GetBefore()), amount(a.GetResource(), a.GetAfter()))
	if a.GetLimited() {
		text += ", below the need"
	}

	return text
}

func amount(resource tidemarkv1.Resource, value int64) string {
	switch resource {
	case tidemarkv1.Resource_RESOURCE_CPU:
		return tidemark.FormatCPU(value)
	case tidemarkv1.Resource_RESOURCE_MEMORY:
		return tidemark.FormatMemory(value)
	case tidemarkv1.Resource_RESOURCE_REPLICAS, tidemarkv1.Resource_RESOURCE_JOINT, tidemarkv1.Resource_RESOURCE_UNSPECIFIED:
		return strconv.FormatInt(value, 10)
	default:
		return strconv.FormatInt(value, 10)
	}
}
