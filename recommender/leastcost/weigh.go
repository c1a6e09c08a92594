package leastcost

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// weighed is one resource of one service.
type weighed struct {
	facts     *[8]string // names, in the order of account
	weighing  *Weighing
	bounds    *bounds
	histogram *usage.Histogram
	current   int64
	newest    int64   // the newest use; 0 when it is not known
	least     float64 // how many times the newest use an allocation must at least be
	limit     int64
	risen     time.Time
}

// unsaturated is a little more than 1, so that rounding does not make an allocation saturated.
const unsaturated = 1.001

func (e *evaluation) weighCPU() {
	allocation := e.in.Allocation.CPUMillis

	need, ok := e.weigh(weighed{
		facts: &cpuFacts, weighing: &e.params.CPU, bounds: e.cpu, histogram: e.in.Usage.CPUHistogram,
		current: allocation, newest: e.newest.CPUPeakMillis, limit: size.MaxCPUMillis, risen: e.in.State.Scaling.CPUUpTime,
		// Else it would count as saturated and grow again at once.
		least: max(e.params.CPU.Headroom, unsaturated/e.params.Saturation),
	})
	if !ok {
		e.proposal.KeepCPU = true
		e.proposal.Because(recommender.ReasonCPUUnknown)
	}

	if saturated := e.saturated(); saturated > 0 {
		need = max(need, saturated)
	}

	e.proposal.Need.CPUMillis = need
}

func (e *evaluation) weighMemory() {
	need, ok := e.weigh(weighed{
		facts: &memoryFacts, weighing: &e.params.Memory, bounds: e.memory, histogram: e.in.Usage.MemoryHistogram,
		current: e.in.Allocation.MemoryBytes, newest: e.newest.ResidentMemoryPeakBytes, limit: size.MaxMemoryBytes,
		risen: e.in.State.Scaling.MemoryUpTime, least: e.params.Memory.Headroom,
	})
	if !ok {
		e.proposal.KeepMemory = true
		e.proposal.Because(recommender.ReasonMemoryUnknown)
	}

	e.proposal.Need.MemoryBytes = e.calm(max(need, e.evidenceNeed()))
}

// calm keeps the allocation where evidence that decays would otherwise lower it a little with every evaluation.
func (e *evaluation) calm(need int64) int64 {
	current := e.in.Allocation.MemoryBytes
	if need < current && float64(need) > float64(current)*(1-e.params.Memory.BandDown) {
		return current
	}

	return need
}

// weigh returns the need for one resource: the allocation, unless another size costs enough less. It returns false when
// nothing is known of the resource.
func (e *evaluation) weigh(w weighed) (int64, bool) {
	costs, ok := w.bounds.curve(w.histogram, w.weighing)
	if !ok {
		return 0, false
	}

	best, ok := costs.best(0)
	if !ok {
		return 0, false
	}

	current, newest := float64(w.current), float64(w.newest)
	now, reached := costs.present(current), best

	if least := newest * w.least; best.amount < least {
		reached, _ = costs.best(least)
	}

	// A rise has to be worth it by the past; a fall has to be worth it as far as the newest use lets it go.
	gain := now.cost - best.cost
	if best.amount <= current {
		gain = now.cost - reached.cost
	}

	e.account(w, best, now, gain)

	rises := best.amount > current && (best.amount > current*(1+w.weighing.BandUp) || newest > current) && gain > w.weighing.GainUp
	falls := reached.amount < current*(1-w.weighing.BandDown) && gain > w.weighing.GainDown &&
		!recommender.Within(w.risen, e.in.Now, w.weighing.Hold)

	if rises || falls {
		e.proposal.Because(recommender.ReasonLeastCost)

		return size.Ceil(reached.amount, w.limit), true
	}

	e.proposal.Because(recommender.ReasonNotWorthChanging)

	return w.current, true
}

// The names of what account notes. They are written out because putting them together for every service would cost more
// than the choice itself.
var (
	cpuFacts = [...]string{
		"cpu_samples", "cpu_newest_millis", "cpu_best_millis", "cpu_best_short_share", "cpu_best_cost",
		"cpu_current_short_share", "cpu_current_cost", "cpu_gain",
	}
	memoryFacts = [...]string{
		"memory_samples", "memory_newest_bytes", "memory_best_bytes", "memory_best_short_share", "memory_best_cost",
		"memory_current_short_share", "memory_current_cost", "memory_gain",
	}
)

// account notes all that is needed to recompute the choice.
func (e *evaluation) account(w weighed, best, now point, gain float64) {
	for i, value := range [...]float64{
		float64(w.histogram.Samples), float64(w.newest), math.Ceil(best.amount), best.short, best.cost, now.short, now.cost, gain,
	} {
		e.fact(w.facts[i], value)
	}
}
