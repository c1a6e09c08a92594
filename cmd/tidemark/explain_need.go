package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// seen says what was measured, and how far it can be trusted.
func seen(r *tidemarkv1.Recommendation, now time.Time) []string {
	data := r.GetExplanation().GetData()
	lines := []string{"The newest sample was taken " + ago(data.GetNewestSampleTime(), now) + "."}

	for _, w := range r.GetExplanation().GetWindows() {
		lines = append(lines, windowText(w))
	}

	var kept []string

	for _, c := range []struct {
		name    string
		mayFall bool
	}{{"CPU", data.GetCpuMayFall()}, {"memory", data.GetMemoryMayFall()}, {"replicas", data.GetReplicasMayFall()}} {
		if !c.mayFall {
			kept = append(kept, c.name)
		}
	}

	if len(kept) > 0 {
		lines = append(lines, "That is not enough to lower "+strings.Join(kept, " and ")+".")
	}

	return lines
}

// windowText says what one window holds: "small, 3h: CPU peak 3.8 cores, memory peak 9Gi (usually 8Gi), 100 % covered".
func windowText(w *tidemarkv1.WindowExplanation) string {
	usage := w.GetUsage()
	name := fmt.Sprintf("%s window, %s: ", w.GetName(), span(usage.GetLength().AsDuration()))

	if w.GetEmpty() {
		return name + "no data"
	}

	parts := []string{
		"CPU peak " + tidemark.FormatCPU(usage.GetCpuPeakMillis()),
		fmt.Sprintf("memory peak %s (median %s)",
			tidemark.FormatMemory(usage.GetResidentMemoryPeakBytes()), tidemark.FormatMemory(usage.GetResidentMemoryMedianBytes())),
	}

	if peak := usage.GetQueryMemoryPeakBytes(); peak > 0 {
		parts = append(parts, "query memory peak "+tidemark.FormatMemory(peak))
	}

	if n := usage.GetMemoryRejections(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d requests refused for lack of memory, at %s",
			n, tidemark.FormatMemory(usage.GetRejectionResidentBytes())))
	}

	if n := usage.GetOomKills(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d killed for lack of memory, at %s", n, tidemark.FormatMemory(usage.GetOomKillResidentBytes())))
	}

	const percent = 100

	return name + strings.Join(append(parts, fmt.Sprintf("%.0f %% covered", usage.GetCoverage()*percent)), ", ")
}

// need says how the need was computed.
func need(e *tidemarkv1.Explanation) []string {
	var lines []string

	for _, w := range e.GetWindows() {
		if !w.GetEmpty() {
			lines = append(lines, cpuText(w, target(e)), memoryText(w), fmt.Sprintf("%s window: needs %s, which the policy makes %s: %s",
				w.GetName(), tidemark.FormatSize(w.GetNeed()), tidemark.FormatSize(w.GetFitted()), agent.DirectionName(w.GetVerdict())))
		}
	}

	for _, merge := range e.GetMerges() {
		lines = append(lines, mergeText(merge))
	}

	for _, fact := range e.GetFacts() {
		lines = append(lines, parameterText(fact))
	}

	return lines
}

// target is the CPU utilisation that a resize aims at.
func target(e *tidemarkv1.Explanation) float64 {
	for _, p := range e.GetParameters() {
		if p.GetName() == "cpu_target" {
			return p.GetValue()
		}
	}

	return 0
}

func cpuText(w *tidemarkv1.WindowExplanation, target float64) string {
	cpu := w.GetCpu()
	name := w.GetName() + " window, CPU: "
	band := fmt.Sprintf("the band from %s to %s",
		tidemark.FormatCPU(int64(cpu.GetBandLowMillis())), tidemark.FormatCPU(int64(cpu.GetBandHighMillis())))

	switch cpu.GetPosition() {
	case tidemarkv1.BandPosition_BAND_POSITION_WITHIN:
		return name + "the peak is within " + band + ", so CPU stays"
	case tidemarkv1.BandPosition_BAND_POSITION_ABOVE, tidemarkv1.BandPosition_BAND_POSITION_BELOW:
		return fmt.Sprintf("%sthe peak is %s %s, so %s / %.3g = %s", name, tidemark.FormatEnum(cpu.GetPosition()), band,
			tidemark.FormatCPU(w.GetUsage().GetCpuPeakMillis()), target, tidemark.FormatCPU(cpu.GetTargetMillis()))
	case tidemarkv1.BandPosition_BAND_POSITION_UNKNOWN, tidemarkv1.BandPosition_BAND_POSITION_UNSPECIFIED:
	}

	return name + "no peak is known, so CPU stays"
}

func memoryText(w *tidemarkv1.WindowExplanation) string {
	m, usage := w.GetMemory(), w.GetUsage()

	terms := []string{
		times("resident", usage.GetResidentMemoryPeakBytes(), m.GetMultiplier(), m.GetResidentTermBytes()),
		times("query", usage.GetQueryMemoryPeakBytes(), m.GetMultiplier(), m.GetQueryTermBytes()),
		times("refused", usage.GetRejectionResidentBytes(), m.GetRejectionMultiplier(), m.GetRejectionTermBytes()),
		times("killed", usage.GetOomKillResidentBytes(), m.GetOomKillMultiplier(), m.GetOomKillTermBytes()),
	}

	var known []string

	for _, term := range terms {
		if term != "" {
			known = append(known, term)
		}
	}

	text := fmt.Sprintf("%s window, memory (%s, peak / median %.3g): %s", w.GetName(), tidemark.FormatEnum(m.GetMemoryClass()),
		m.GetVariationRatio(), strings.Join(known, "; "))

	switch m.GetTerm() {
	case tidemarkv1.MemoryTerm_MEMORY_TERM_BAND:
		return text + "; within the band around the allocation, so memory stays"
	case tidemarkv1.MemoryTerm_MEMORY_TERM_ALLOCATION:
		return text + "; too little is known to go below the allocation"
	default:
		return text + "; the largest counts: " + tidemark.FormatEnum(m.GetTerm())
	}
}

// times is one term of the memory formula: "resident 8Gi x 1.25 = 10Gi".
func times(name string, bytes int64, multiplier float64, product int64) string {
	if product == 0 {
		return ""
	}

	if bytes == 0 { // the peak of the window stands for it
		return fmt.Sprintf("%s x %.3g = %s", name, multiplier, tidemark.FormatMemory(product))
	}

	return fmt.Sprintf("%s %s x %.3g = %s", name, tidemark.FormatMemory(bytes), multiplier, tidemark.FormatMemory(product))
}

// path is every step between the need and the answer.
func path(r *tidemarkv1.Recommendation) []string {
	lines := []string{"need: " + tidemark.FormatSize(r.GetUncapped())}

	for _, adjustment := range r.GetExplanation().GetAdjustments() {
		lines = append(lines, adjustmentText(adjustment))
	}

	for _, change := range r.GetPlan().GetChanges() {
		lines = append(lines, fmt.Sprintf("plan: %s group %s (%s), %d -> %d replicas of %s", tidemark.FormatEnum(change.GetAction()),
			change.GetGroup(), change.GetTemplate(), change.GetReplicasBefore(), change.GetSize().GetReplicas(),
			tidemark.FormatCPU(change.GetSize().GetCpuMillis())+", "+tidemark.FormatMemory(change.GetSize().GetMemoryBytes())))
	}

	return append(lines, "answer: "+tidemark.FormatSize(r.GetRecommended()))
}

func constants(e *tidemarkv1.Explanation) []string {
	lines := make([]string, 0, len(e.GetParameters()))

	for _, p := range e.GetParameters() {
		lines = append(lines, parameterText(p))
	}

	return lines
}

// parameterText shows a number by the unit that its name ends with: "cpu best: 2.3 cores".
func parameterText(p *tidemarkv1.Parameter) string {
	name, value := p.GetName(), p.GetValue()
	words := func(suffix string) string { return strings.ReplaceAll(strings.TrimSuffix(name, suffix), "_", " ") }

	switch whole := int64(math.Round(value)); {
	case strings.HasSuffix(name, "_seconds"):
		return words("_seconds") + ": " + time.Duration(value*float64(time.Second)).String()
	case strings.HasSuffix(name, "_millis"):
		return words("_millis") + ": " + tidemark.FormatCPU(whole)
	case strings.HasSuffix(name, "_bytes"):
		return words("_bytes") + ": " + tidemark.FormatMemory(whole)
	default:
		return words("") + ": " + strconv.FormatFloat(value, 'g', 5, 64)
	}
}
