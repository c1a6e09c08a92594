package replicas

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// choosePair finds the cheapest legal size and number that fulfil the demand of the long window, also with the spare
// replicas down, and goes there if that is worth it.
func (e *evaluation) choosePair() {
	p := e.proposal
	needed := e.whole(e.raw(e.present.size, upPeak))
	short := needed > e.present.count

	e.fact("present_up_replicas", float64(needed))

	best, ok := e.cheapest(short)
	if !ok {
		if short {
			p.Replicas = needed
			p.Because(recommender.ReasonTotalDemand)
		} else {
			p.Because(recommender.ReasonWithinThresholds)
		}

		return
	}

	e.account(best)

	switch {
	case best.pair == e.present:
		p.Because(recommender.ReasonWithinThresholds)
	case short && e.grows(best.pair), cheaper(e.costOf(e.present), best.cost):
		p.Because(recommender.ReasonCheapestPair)
		e.propose(best.pair)
	default:
		p.Because(recommender.ReasonNotWorthChanging)
	}
}

// propose asks for the pair. Where one part rises and the other falls, the rise comes first and the fall waits until it
// was made: the policy may hold up or shorten either of them, and the fall without the rise would leave too little.
func (e *evaluation) propose(to pair) {
	from := e.present
	sizeChanges, countChanges := to.size != from.size, to.count != from.count

	if sizeChanges && to.count > from.count && !to.size.Covers(from.size) {
		sizeChanges = false
	}

	if sizeChanges && to.count < from.count && !from.size.Covers(to.size) {
		countChanges = false
	}

	if sizeChanges {
		e.proposal.Need = to.size
	}

	if countChanges {
		e.proposal.Replicas = to.count
	}
}

func (e *evaluation) account(best candidate) {
	e.fact("present_cost", e.costOf(e.present))
	e.fact("best_cpu_millis", float64(best.size.CPUMillis))
	e.fact("best_memory_bytes", float64(best.size.MemoryBytes))
	e.fact("best_replicas", float64(best.count))
	e.fact("best_cost", best.cost)
}

// costOf is what a pair costs: the price of its cores and of its GiB.
func (e *evaluation) costOf(p pair) float64 {
	const (
		core     = 1000
		gibibyte = 1 << 30
	)

	return float64(p.count) * (float64(p.size.CPUMillis)/core*e.params.CPUCost + float64(p.size.MemoryBytes)/gibibyte*e.params.MemoryCost)
}

// The least differences worth a change, as shares of the mean of both. They are Vespa's.
const (
	worthGrowing = 0.03
	worthSaving  = 0.1
)

// grows reports that the pair has so much more of a resource, over all replicas that are not spare, that a service that is
// short of some should get it.
func (e *evaluation) grows(to pair) bool {
	for _, resource := range size.Both() {
		if difference(e.serving(e.present, resource), e.serving(to, resource)) > worthGrowing {
			return true
		}
	}

	return false
}

// cheaper reports that a cost is so much lower that it is worth a change.
func cheaper(from, to float64) bool {
	return difference(to, from) >= worthSaving
}

// serving is how much of a resource the replicas that are not spare have.
func (e *evaluation) serving(p pair, resource size.Resource) float64 {
	return float64(p.size.Get(resource)) * float64(max(p.count-e.params.SpareReplicas, 0))
}

// difference is how much more to is than from, as a share of the mean of both.
func difference(from, to float64) float64 {
	return (to - from) / ((from + to) / 2)
}
