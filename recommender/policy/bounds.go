package policy

import (
	"slices"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// bound applies the minimum and the maximum without leaving the catalogue, the steps or the ratio if that is
// possible: only legal sizes within the bounds are eligible. When there are none, the bounds win.
func (p *Policy) bound(need, value size.Resources) size.Resources {
	coupled := p.Couple(need)

	if len(p.Catalogue) > 0 {
		if entry, ok := p.pick(coupled, p.Min, p.ceiling()); ok {
			return entry
		}

		value = coupled
	}

	low, high := p.limits()

	return value.Max(low).Min(high)
}

// limits returns the smallest and the largest size on the ratio and the steps within the bounds. Where there is none,
// the upper limit is the bare maximum: raising to the lower one first and cutting to the maximum then gives the same
// size again when it is applied to its own result.
func (p *Policy) limits() (size.Resources, size.Resources) {
	ceiling := p.ceiling()
	low := p.stepUp(p.Couple(p.Min.Max(size.Resources{CPUMillis: 1, MemoryBytes: 1})))
	high := p.stepDown(p.decouple(ceiling))

	if p.MemoryPerCoreBytes > 0 {
		if high.Covers(low) {
			return low, high
		}

		return low, ceiling
	}

	for _, resource := range size.Both() {
		if high.Get(resource) < low.Get(resource) {
			high = high.Set(resource, ceiling.Get(resource))
		}
	}

	return low, high
}

// ceiling is Max with the absent bounds filled in.
func (p *Policy) ceiling() size.Resources {
	ceiling := unlimited()

	for _, resource := range size.Both() {
		if bound := p.Max.Get(resource); bound > 0 {
			ceiling = ceiling.Set(resource, min(bound, ceiling.Get(resource)))
		}
	}

	return ceiling
}

// NextDown returns a legal size next below another: with less of at least one resource and not more of the other. It
// returns the size itself when there is none within the bounds.
func (p *Policy) NextDown(from size.Resources) size.Resources {
	for _, entry := range slices.Backward(p.Catalogue) {
		if entry != from && from.Covers(entry) && entry.Covers(p.Min) && p.ceiling().Covers(entry) {
			return entry
		}
	}

	if len(p.Catalogue) > 0 {
		return from
	}

	low, _ := p.limits()
	less := size.Resources{CPUMillis: from.CPUMillis - 1, MemoryBytes: from.MemoryBytes - 1}
	next := p.stepDown(p.decouple(less))

	if p.MemoryPerCoreBytes > 0 {
		if next.Covers(low) {
			return next
		}

		return from
	}

	return next.Max(low.Min(from))
}
