package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyDisruption keeps the size when a change is not worth the disturbance or may not happen now. A size outside of the
// policy's bounds is brought back into them however small the change is.
func (o *outcome) applyDisruption() {
	const stage = policy.StageDisruption

	rules := &o.in.Policy.Disruption

	if current := o.replicas.current; current > 0 && current < rules.MinReplicas && o.target != o.allocation {
		o.move(stage, o.allocation)
		o.because(ReasonTooFewReplicas)
	}

	if !o.worthwhile() {
		o.move(stage, o.allocation)
		o.moveReplicas(stage, o.replicas.current)
		o.because(ReasonSmallChange)
	}

	if len(rules.ScaleDown) > 0 && !policy.InAny(rules.ScaleDown, o.in.Now) {
		kept := o.keep(stage, o.allocation)
		if o.keepReplicas(stage) || kept {
			o.because(ReasonOutsideWindow)
		}
	}
}

// worthwhile reports that some resource changes by as much as the policy asks, or that nothing changes at all.
func (o *outcome) worthwhile() bool {
	rules := &o.in.Policy.Disruption
	unchanged := true

	for _, resource := range [...]size.Resource{size.CPU, size.Memory, size.Replicas} {
		from, to := o.amounts(resource)

		switch {
		case to > from && float64(to-from) >= rules.MinUp*float64(from),
			to < from && float64(from-to) >= rules.MinDown*float64(from):
			return true
		case to != from:
			unchanged = false
		}
	}

	return unchanged || !o.withinBounds()
}

func (o *outcome) amounts(resource size.Resource) (int64, int64) {
	if resource == size.Replicas {
		return int64(o.replicas.current), int64(o.replicas.target)
	}

	return o.allocation.Get(resource), o.target.Get(resource)
}

// withinBounds reports that the allocation keeps to the policy's minimum and maximum.
func (o *outcome) withinBounds() bool {
	p := &o.in.Policy

	for _, resource := range size.Both() {
		amount, high := o.allocation.Get(resource), p.Max.Get(resource)
		if amount < p.Min.Get(resource) || high > 0 && amount > high {
			return false
		}
	}

	current := o.replicas.current

	return current == 0 || current >= p.MinReplicas && (p.MaxReplicas == 0 || current <= p.MaxReplicas)
}
