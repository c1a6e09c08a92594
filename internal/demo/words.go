package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// timeline says what happened when, reckoned from the moment the signal was sent.
func timeline(r *tidemarkv1.Recommendation, sent time.Time) []string {
	var lines []string

	after := func(at time.Time) string { return fmt.Sprintf("+%d ms", millis(at.Sub(sent))) }

	for _, t := range r.GetTriggers() {
		if t.GetTrigger() == tidemarkv1.Trigger_TRIGGER_SIGNAL {
			lines = append(lines, fmt.Sprintf("%9s  the source %q has seen it and asks for an evaluation (%s)",
				after(t.GetEnqueueTime().AsTime()), t.GetSource(), t.GetDetail()))
		}
	}

	return append(lines, fmt.Sprintf("%9s  the server has evaluated it: %s (%s)",
		after(r.GetEvaluateTime().AsTime()), agent.DirectionName(r.GetDirection()),
		strings.Join(agent.ReasonNames(r.GetReasons()), ", ")))
}

// why puts an explanation into words.
func why(r *tidemarkv1.Recommendation) []string {
	const none = tidemarkv1.Direction_DIRECTION_NONE

	var lines []string

	for _, w := range r.GetExplanation().GetWindows() {
		lines = append(lines, "in the last "+hours(w.GetUsage().GetLength().AsDuration())+": "+
			cpuWords(w)+"; "+memoryWords(w))
	}

	for _, m := range r.GetExplanation().GetMerges() {
		if m.GetLarge() != none || m.GetSmall() != none {
			lines = append(lines, mergeWords(m))
		}
	}

	for _, a := range r.GetExplanation().GetAdjustments() {
		lines = append(lines, adjustmentWords(a))
	}

	return lines
}

func cpuWords(w *tidemarkv1.WindowExplanation) string {
	cpu := w.GetCpu()
	peak := "CPU peak " + tidemark.FormatCPU(w.GetUsage().GetCpuPeakMillis())
	band := fmt.Sprintf("%.0fm to %.0fm", cpu.GetBandLowMillis(), cpu.GetBandHighMillis())

	switch cpu.GetPosition() {
	case tidemarkv1.BandPosition_BAND_POSITION_WITHIN:
		return peak + " is within " + band + ", so it stays"
	case tidemarkv1.BandPosition_BAND_POSITION_ABOVE:
		return peak + " is above " + band + ", so " + tidemark.FormatCPU(cpu.GetNeedMillis()) + " are needed"
	case tidemarkv1.BandPosition_BAND_POSITION_BELOW:
		return peak + " is below " + band + ", so " + tidemark.FormatCPU(cpu.GetNeedMillis()) + " would do"
	default:
		return "CPU is not known, so it stays"
	}
}

func memoryWords(w *tidemarkv1.WindowExplanation) string {
	usage, memory := w.GetUsage(), w.GetMemory()
	need := tidemark.FormatMemory(memory.GetNeedBytes())
	resident := tidemark.FormatMemory(usage.GetResidentMemoryPeakBytes())

	switch memory.GetTerm() {
	case tidemarkv1.MemoryTerm_MEMORY_TERM_REJECTION:
		return fmt.Sprintf("%d refused requests at a memory peak of %s, so %s are needed (half as much again)",
			usage.GetMemoryRejections(), resident, need)
	case tidemarkv1.MemoryTerm_MEMORY_TERM_OOM_KILL:
		return fmt.Sprintf("%d kills for lack of memory, so %s are needed", usage.GetOomKills(), need)
	case tidemarkv1.MemoryTerm_MEMORY_TERM_RESIDENT:
		return fmt.Sprintf("memory peak %s, with headroom %s", resident, need)
	case tidemarkv1.MemoryTerm_MEMORY_TERM_QUERY:
		return fmt.Sprintf("queries held %s, with headroom %s", tidemark.FormatMemory(usage.GetQueryMemoryPeakBytes()), need)
	default:
		return "memory is not known, so it stays"
	}
}

func mergeWords(m *tidemarkv1.MergeExplanation) string {
	picks := map[tidemarkv1.WindowPick]string{
		tidemarkv1.WindowPick_WINDOW_PICK_SMALL:  "the short one decides",
		tidemarkv1.WindowPick_WINDOW_PICK_LARGE:  "the long one decides",
		tidemarkv1.WindowPick_WINDOW_PICK_LARGER: "the larger need decides",
		tidemarkv1.WindowPick_WINDOW_PICK_HOLD:   "it stays as it is",
	}

	scope := tidemark.FormatEnum(m.GetScope())
	if m.GetScope() == tidemarkv1.Resource_RESOURCE_JOINT {
		scope = "CPU and memory"
	}

	return fmt.Sprintf("%s: the long window says %s, the short one %s, so %s", scope,
		agent.DirectionName(m.GetLarge()), agent.DirectionName(m.GetSmall()), picks[m.GetPicked()])
}

func adjustmentWords(a *tidemarkv1.Adjustment) string {
	text := fmt.Sprintf("%s: %s from %s to %s", tidemark.FormatEnum(a.GetStage()), tidemark.FormatEnum(a.GetResource()),
		amount(a.GetResource(), a.GetBefore()), amount(a.GetResource(), a.GetAfter()))
	if a.GetLimited() {
		text += ", less than is needed"
	}

	return text
}

func amount(resource tidemarkv1.Resource, value int64) string {
	if resource == tidemarkv1.Resource_RESOURCE_CPU {
		return tidemark.FormatCPU(value)
	}

	return tidemark.FormatMemory(value)
}

func hours(d time.Duration) string { return fmt.Sprintf("%.0f h", d.Hours()) }
