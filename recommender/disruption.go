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

	o.dropSmallChange(stage)

	if len(rules.ScaleDown) > 0 && !policy.InAny(rules.ScaleDown, o.in.Now) {
		kept := o.keep(stage, o.allocation)
		if o.keepReplicas(stage) || kept {
			o.because(ReasonOutsideWindow)
		}
	}
}

// dropSmallChange keeps everything when what is left to change is not worth it. It is asked again at the end, because what
// made a change worth it may have been taken back.
func (o *outcome) dropSmallChange(stage policy.Stage) {
	if o.worthwhile() {
		return
	}

	o.move(stage, o.allocation)
	o.moveReplicas(stage, o.replicas.current)
	o.because(ReasonSmallChange)
}

// worthwhile reports that some resource changes by as much as the policy asks, that one comes back into its bounds, or
// that nothing changes at all.
func (o *outcome) worthwhile() bool {
	rules := &o.in.Policy.Disruption
	unchanged := true

	for _, resource := range [...]size.Resource{size.CPU, size.Memory, size.Replicas} {
		from, to := o.amounts(resource)
		low, high := o.bounds(resource)

		switch {
		case to > from && (float64(to-from) >= rules.MinUp*float64(from) || from < low),
			to < from && (float64(from-to) >= rules.MinDown*float64(from) || high > 0 && from > high):
			return true
		case to != from:
			unchanged = false
		}
	}

	return unchanged
}

func (o *outcome) amounts(resource size.Resource) (from, to int64) {
	if resource == size.Replicas {
		return int64(o.replicas.current), int64(o.replicas.target)
	}

	return o.allocation.Get(resource), o.target.Get(resource)
}

// bounds are the policy's minimum and maximum; a maximum of 0 is none.
func (o *outcome) bounds(resource size.Resource) (low, high int64) {
	p := &o.in.Policy
	if resource == size.Replicas {
		return int64(p.MinReplicas), int64(p.MaxReplicas)
	}

	return p.Min.Get(resource), p.Max.Get(resource)
}
