package replicas

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// candidate is a pair that would do.
type candidate struct {
	pair

	cost float64
}

// cheapest returns the cheapest candidate; false when there is none. Among equally cheap ones the one with fewer changes
// is taken, then the one with fewer replicas, then the earlier one in the catalogue. When every size would need more
// replicas than there may be, a service that is short gets the one that needs the fewest.
func (e *evaluation) cheapest(short bool) (candidate, bool) {
	var best, nearest candidate

	least := e.leastSize()

	for i := range max(len(e.in.Policy.Catalogue), 1) {
		of := e.present.size
		if len(e.in.Policy.Catalogue) > 0 {
			of = e.in.Policy.Catalogue[i]
		}

		c, ok := e.candidate(of, least)

		switch most := e.in.Policy.MaxReplicas; {
		case !ok:
		case most > 0 && c.count > most:
			if nearest.count == 0 || c.count < nearest.count {
				nearest = c
			}
		case best.count == 0 || e.better(c, best):
			best = c
		}
	}

	if best.count == 0 && short {
		best = nearest
	}

	return best, best.count > 0
}

// leastSize is what a replica must at least have: what the policy and its floor ask for; of a resource that does not count,
// what it has; of memory, what the largest replica was seen to use, because more replicas do not make it smaller for
// certain.
func (e *evaluation) leastSize() size.Resources {
	least := e.in.Policy.Min.Max(recommender.FloorOf(e.in)).Max(size.Resources{
		CPUMillis:   1,
		MemoryBytes: max(e.down.ResidentMemoryPeakBytes, e.up.ResidentMemoryPeakBytes),
	})

	for i := range e.demands {
		if d := &e.demands[i]; !d.known() {
			least = least.Set(d.resource, max(least.Get(d.resource), e.present.size.Get(d.resource)))
		}
	}

	if e.proposal.KeepReplicas {
		least = least.Max(e.present.size)
	}

	return least
}

// candidate returns the least number of replicas of a size that does, be it more than there may be; false when the size is
// out of the question.
func (e *evaluation) candidate(of, least size.Resources) (candidate, bool) {
	p := &e.in.Policy

	// The present size need not be legal to stay.
	if of != e.present.size && !of.Covers(least) {
		return candidate{}, false
	}

	for _, resource := range size.Both() {
		if high := p.Max.Get(resource); high > 0 && of.Get(resource) > high && of != e.present.size {
			return candidate{}, false
		}
	}

	c := candidate{pair: pair{of, max(e.whole(e.raw(of, downPeak)), p.MinReplicas)}}
	if e.proposal.KeepReplicas {
		c.count = max(c.count, e.present.count)
	}

	if e.crowded(c.pair) || !e.permitted(c.pair) {
		return candidate{}, false
	}

	c.cost = e.costOf(c.pair)

	return c, true
}

// crowded reports that fewer replicas would each have to take more memory than they have, when the largest of them takes
// as much more as all do.
func (e *evaluation) crowded(to pair) bool {
	if to.count >= e.present.count {
		return false
	}

	each := float64(max(e.down.ResidentMemoryPeakBytes, e.up.ResidentMemoryPeakBytes)) * float64(e.present.count) / float64(to.count)

	return each > float64(to.size.MemoryBytes)
}

// permitted reports that the policy allows everything that the pair changes, in one and the same mode: half of a change
// leaves the service with too little or with too much.
func (e *evaluation) permitted(to pair) bool {
	var mode policy.Mode

	for _, change := range [...]struct {
		resource size.Resource
		from, to int64
	}{
		{size.CPU, e.present.size.CPUMillis, to.size.CPUMillis},
		{size.Memory, e.present.size.MemoryBytes, to.size.MemoryBytes},
		{size.Replicas, int64(e.present.count), int64(to.count)},
	} {
		if change.from == change.to {
			continue
		}

		permit := e.in.Policy.Permits(change.resource, change.to > change.from)
		if permit == policy.ModeOff || mode != "" && permit != mode {
			return false
		}

		mode = permit
	}

	return true
}

// better reports that one candidate is to be preferred to another.
func (e *evaluation) better(one, other candidate) bool {
	// Costs that differ by the rounding of sums are the same.
	const same = 1e-9

	if difference(one.cost, other.cost) > same || difference(other.cost, one.cost) > same {
		return one.cost < other.cost
	}

	if a, b := e.changes(one.pair), e.changes(other.pair); a != b {
		return a < b
	}

	return one.count < other.count
}

// changes counts what a pair changes.
func (e *evaluation) changes(to pair) int {
	changes := 0

	if to.size != e.present.size {
		changes++
	}

	if to.count != e.present.count {
		changes++
	}

	return changes
}
