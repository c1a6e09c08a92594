package leastcost

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// weighed is one resource of one service.
type weighed struct {
	name    string // prefix of its facts
	unit    string // suffix of its facts
	curve   curve
	current int64
	newest  int64 // the newest use; 0 when it is not known
	limit   int64
	risen   time.Time
}

func (e *evaluation) weighCPU() {
	allocation := e.in.Allocation.CPUMillis

	need, ok := e.weigh(weighed{
		name: "cpu", unit: "millis", current: allocation, newest: e.newest.CPUPeakMillis, limit: size.MaxCPUMillis,
		curve: curve{e.in.Usage.CPUHistogram, &e.params.CPU}, risen: e.in.State.Scaling.CPUUpTime,
	})
	if !ok {
		e.proposal.KeepCPU = true
		e.proposal.Because(recommender.ReasonCPUUnknown)
	}

	// What more would be used than there is cannot be seen: a service at its limit looks content.
	if newest := float64(e.newest.CPUPeakMillis); newest >= e.params.Saturation*float64(allocation) {
		saturated := ceil(max(newest, float64(allocation))*e.params.SaturationMultiplier, size.MaxCPUMillis)
		e.fact("cpu_saturated_need_millis", float64(saturated))
		e.proposal.Because(recommender.ReasonCPUSaturated)

		need = max(need, saturated)
	}

	e.proposal.Need.CPUMillis = need
}

func (e *evaluation) weighMemory() {
	need, ok := e.weigh(weighed{
		name: "memory", unit: "bytes", current: e.in.Allocation.MemoryBytes, newest: e.newest.ResidentMemoryPeakBytes,
		curve: curve{e.in.Usage.MemoryHistogram, &e.params.Memory}, limit: size.MaxMemoryBytes,
		risen: e.in.State.Scaling.MemoryUpTime,
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
	if w.curve.histogram == nil {
		return 0, false
	}

	best, ok := w.curve.best()
	if !ok {
		return 0, false
	}

	current := float64(w.current)
	now := w.curve.of(current)
	want := max(best.amount, float64(w.newest)*w.curve.Headroom)
	gain := now.cost - w.curve.of(want).cost

	e.account(w, best, now, gain)

	switch {
	case want > current && (want > current*(1+w.curve.BandUp) || float64(w.newest) > current) && gain > w.curve.GainUp,
		want < current*(1-w.curve.BandDown) && gain > w.curve.GainDown && !e.held(w):
		e.proposal.Because(recommender.ReasonLeastCost)

		return ceil(want, w.limit), true
	default:
		e.proposal.Because(recommender.ReasonNotWorthChanging)

		return w.current, true
	}
}

// held reports that the resource rose too recently to fall.
func (e *evaluation) held(w weighed) bool {
	return recommender.Within(w.risen, e.in.Now, w.curve.Hold)
}

// account notes all that is needed to recompute the choice.
func (e *evaluation) account(w weighed, best, now point, gain float64) {
	e.fact(w.name+"_samples", float64(w.curve.histogram.Samples))
	e.fact(w.name+"_newest_"+w.unit, float64(w.newest))
	e.fact(w.name+"_best_"+w.unit, math.Ceil(best.amount))
	e.fact(w.name+"_best_short_share", best.short)
	e.fact(w.name+"_best_cost", best.cost)
	e.fact(w.name+"_current_short_share", now.short)
	e.fact(w.name+"_current_cost", now.cost)
	e.fact(w.name+"_gain", gain)
}

// ceil rounds up to a whole unit and at most to limit.
func ceil(amount float64, limit int64) int64 {
	if amount >= float64(limit) {
		return limit
	}

	return int64(math.Ceil(amount))
}
