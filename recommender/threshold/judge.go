package threshold

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// judgement is what one rule says.
type judgement struct {
	resource     size.Resource
	rule         Rule
	low, peak    int64 // The least and the most that all replicas together used; 0 when it is not known.
	above, below bool
}

// limit is the utilisation that shrinking must not lead beyond.
func (j *judgement) limit() float64 {
	if j.rule.Max > 0 {
		return j.rule.Max
	}

	return 1
}

// judge reads the windows of both rules. A resource without a rule is looked at as well, in the window of the other one:
// nothing may shrink below what is used of it.
func (e *evaluation) judge() {
	if e.in.Usage.Stale(e.in.Now, e.params.MaxSampleAge) {
		e.keep(recommender.ReasonStaleData)
	}

	cpu, memory := e.params.CPU, e.params.Memory
	e.judged = [...]judgement{{resource: size.CPU, rule: cpu}, {resource: size.Memory, rule: memory}}

	if !cpu.set() {
		cpu = memory
	}

	if !memory.set() {
		memory = cpu
	}

	onCPU := e.window(e.params.CPU, cpu, names[0].coverage)
	e.judged[0].low, e.judged[0].peak = onCPU.CPUTotalLowMillis, onCPU.CPUTotalPeakMillis
	onMemory := e.window(e.params.Memory, memory, names[1].coverage)
	e.judged[1].low, e.judged[1].peak = onMemory.ResidentMemoryTotalLowBytes, onMemory.ResidentMemoryTotalPeakBytes

	known := false

	for i := range e.judged {
		j := &e.judged[i]
		e.compare(j, &names[i])

		known = known || j.rule.set() && j.peak > 0
	}

	e.proposal.Insufficient = !known
}

// window reads the window of a rule, or the one that stands in for a rule that is not set, whose evidence does not matter.
func (e *evaluation) window(rule, standIn Rule, coverage string) usage.Window {
	w, _ := e.in.Usage.Window(standIn.window())

	w, plausible := w.Plausible()
	e.fact(coverage, w.Coverage)

	if !rule.set() {
		return w
	}

	if !plausible {
		e.keep(recommender.ReasonImplausibleData)
	}

	switch {
	case w.Coverage <= 0:
		e.keep(recommender.ReasonNoData)
	case w.Coverage < e.params.MinCoverage:
		e.keep(recommender.ReasonLowCoverage)
	}

	return w
}

// keep forbids to lower anything, for a reason.
func (e *evaluation) keep(reason recommender.Reason) {
	p := e.proposal
	p.KeepCPU, p.KeepMemory, p.KeepReplicas = true, true, true
	p.Because(reason)
}

// ruleNames are what the account calls the numbers of a rule.
type ruleNames struct {
	coverage, capacity, low, peak, lowShare, peakShare string
	unknown                                            recommender.Reason
}

var names = [...]ruleNames{
	{
		"cpu_coverage", "cpu_capacity_millis", "cpu_total_low_millis", "cpu_total_peak_millis", "cpu_low_share", "cpu_peak_share",
		recommender.ReasonCPUUnknown,
	},
	{
		"memory_coverage", "memory_capacity_bytes", "memory_total_low_bytes", "memory_total_peak_bytes", "memory_low_share", "memory_peak_share",
		recommender.ReasonMemoryUnknown,
	},
}

// compare says whether utilisation was above or below for the whole window: the least of the window is above the upper
// threshold, the most of it is below the lower one. Of a window that was watched in part only, what was seen counts: to
// grow without need is the smaller mistake, and to shrink more is asked for.
func (e *evaluation) compare(j *judgement, n *ruleNames) {
	capacity := float64(e.in.Allocation.Resources().Get(j.resource)) * float64(e.in.Allocation.Replicas)
	low, peak := float64(j.low)/capacity, float64(j.peak)/capacity

	if j.rule.set() && (j.low <= 0 || j.peak <= 0) {
		e.keep(n.unknown)
	}

	j.above = j.rule.Max > 0 && low > j.rule.Max
	j.below = j.rule.Min > 0 && j.peak > 0 && peak < j.rule.Min

	e.fact(n.capacity, capacity)
	e.fact(n.low, float64(j.low))
	e.fact(n.peak, float64(j.peak))
	e.fact(n.lowShare, low)
	e.fact(n.peakShare, peak)
}
