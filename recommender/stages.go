package recommender

import (
	"slices"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// outcome is a decision in the making.
type outcome struct {
	in          *Input
	allocation  size.Resources
	proposed    size.Resources // What the recommender wants; 0 to hold the resource.
	need        size.Resources // What it wants, with the allocation for what it holds.
	target      size.Resources // The size after the stages so far.
	keepCPU     bool
	keepMemory  bool
	held        bool
	reasons     []Reason
	adjustments []policy.Adjustment
}

// stages turn the need into the recommended size, in this order. Each one starts from what the ones before made. Rules
// that look at time or disruption belong between the evidence and the mode.
var stages = [...]policy.Stage{stageFit, policy.StageEvidence, policy.StageMode}

// stageFit stands for the stages that the policy applies by itself.
const stageFit = policy.StageBounds

// apply runs one stage. Stages are called by name and not through function values, which would put every input on the
// heap.
func (o *outcome) apply(stage policy.Stage) {
	switch stage {
	case stageFit:
		o.fit()
	case policy.StageEvidence:
		o.applyEvidence(stage)
	case policy.StageMode:
		o.applyMode(stage)
	case policy.StageRatio, policy.StageCatalogue, policy.StageStep:
		// Part of the fit.
	}
}

// fit applies the policy to the need.
func (o *outcome) fit() {
	o.need = o.proposed

	for _, resource := range size.Both() {
		if o.holds(resource) {
			o.need = o.need.Set(resource, o.allocation.Get(resource))
			o.held = true
		}
	}

	var adjustments []policy.Adjustment

	o.target, adjustments = o.in.Policy.Fit(o.need)

	for _, resource := range size.Both() {
		if o.staysAsItIs(resource) {
			o.target = o.target.Set(resource, o.allocation.Get(resource))
			adjustments = slices.DeleteFunc(adjustments, func(a policy.Adjustment) bool { return a.Resource == resource })
		}
	}

	for _, a := range adjustments {
		o.explain(a)
	}

	o.adjustments = adjustments
}

// holds reports that the recommender asked to hold the resource.
func (o *outcome) holds(resource size.Resource) bool {
	return o.proposed.Get(resource) == 0
}

// staysAsItIs reports that the fit must not touch a resource: it is to be held and is not below its minimum. Rounding a
// size that nobody asked to change would be a change without a cause. Coupled resources are held together or not at all.
func (o *outcome) staysAsItIs(resource size.Resource) bool {
	if !o.holds(resource) {
		return false
	}

	enough := o.allocation.Get(resource) >= o.in.Policy.Min.Get(resource)

	if o.in.Policy.Coupled() {
		if !o.proposed.IsZero() {
			return false
		}

		enough = o.allocation.Covers(o.in.Policy.Min)
	}

	// On its way to the minimum of one resource, a pair may come with less of the other.
	return enough || o.target.Get(resource) < o.allocation.Get(resource)
}

// explain adds the reason for one adjustment of the fit.
func (o *outcome) explain(a policy.Adjustment) {
	switch a.Stage {
	case policy.StageRatio:
		o.reasons = appendReason(o.reasons, ReasonRatio)
	case policy.StageCatalogue:
		if a.Limited {
			o.reasons = appendReason(o.reasons, ReasonLimitedByCatalogue)
		} else {
			o.reasons = appendReason(o.reasons, ReasonRounded)
		}
	case policy.StageStep:
		o.reasons = appendReason(o.reasons, ReasonRounded)
	case policy.StageBounds:
		o.explainBounds(a)
	case policy.StageEvidence, policy.StageMode:
		// These stages give their own reasons.
	}
}

func (o *outcome) explainBounds(a policy.Adjustment) {
	switch {
	case a.Limited:
		o.reasons = appendReason(o.reasons, ReasonLimitedByMax)
	case a.After > a.Before:
		o.reasons = appendReason(o.reasons, ReasonRaisedToMin)
	}

	if !o.in.Policy.Eligible() {
		o.reasons = appendReason(o.reasons, ReasonNoCatalogueEntry)
	}
}
