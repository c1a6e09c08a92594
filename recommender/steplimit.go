package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyStepLimit goes only as far as one change may. What it arrives at is a legal size again, so it is rounded up; and
// a step is at least to the next legal size, else a coarse catalogue would hold the service for ever.
func (o *outcome) applyStepLimit() {
	const stage = policy.StageStepLimit

	p := &o.in.Policy
	limited := o.target

	if !p.StepUp.IsZero() {
		limited = limited.Min(reach(p.StepUp, o.allocation, +1))
	}

	if !p.StepDown.IsZero() {
		limited = limited.Max(reach(p.StepDown, o.allocation, -1))
	}

	if limited != o.target {
		o.move(stage, o.legalStep(limited).Max(o.evidence))
		o.because(ReasonStepLimited)
	}

	o.limitReplicas(stage)
}

// legalStep makes a size on the way to the target a legal one.
func (o *outcome) legalStep(limited size.Resources) size.Resources {
	fitted := o.in.Policy.Fitted(limited)
	lower := o.in.Policy.NextDown(o.allocation)

	if o.in.Policy.Coupled() {
		if fitted.Covers(o.allocation) && o.allocation.Covers(o.target) {
			fitted = lower
		}

		if fitted == o.allocation || !between(o.allocation, fitted, o.target) {
			return o.target
		}

		return fitted
	}

	for _, resource := range size.Both() {
		switch from, to := o.allocation.Get(resource), o.target.Get(resource); {
		case limited.Get(resource) == to:
			// Not limited, and maybe not fitted either.
			fitted = fitted.Set(resource, to)
		case to < from && fitted.Get(resource) >= from:
			fitted = fitted.Set(resource, max(lower.Get(resource), to))
		}
	}

	return fitted
}

// between reports that a size lies between two others in both resources. A size that does not is no step on the way: it
// may be too small, and the next step may lead back from it.
func between(a, size, b size.Resources) bool {
	return size.Covers(a.Min(b)) && a.Max(b).Covers(size)
}

// reach is how far one change may go from the allocation; sign is +1 for up and -1 for down. A limit that names only the
// other resource is none.
func reach(limit policy.StepLimit, allocation size.Resources, sign int64) size.Resources {
	reached := allocation

	for _, resource := range size.Both() {
		from := allocation.Get(resource)
		step := max(size.Ceil(float64(from)*limit.Share, size.MaxMemoryBytes), limit.Size.Resources().Get(resource))

		if step == 0 {
			step = size.MaxMemoryBytes
		}

		reached = reached.Set(resource, max(from+sign*step, 1))
	}

	return reached
}

func (o *outcome) limitReplicas(stage policy.Stage) {
	r := &o.replicas
	limited := r.target

	if step := replicaStep(o.in.Policy.StepUp, r.current); step > 0 {
		limited = min(limited, r.current+step)
	}

	if step := replicaStep(o.in.Policy.StepDown, r.current); step > 0 {
		limited = max(limited, r.current-step)
	}

	if limited != r.target {
		o.moveReplicas(stage, limited)
		o.because(ReasonStepLimited)
	}
}

// replicaStep is how many replicas one change may add or take away; 0 for any number.
func replicaStep(limit policy.StepLimit, current int32) int32 {
	share := size.Ceil(float64(current)*limit.Share, int64(size.MaxReplicas))

	return max(int32(share), limit.Size.Replicas) //nolint:gosec // bounded one line before
}
