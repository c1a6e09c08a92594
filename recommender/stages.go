package recommender

import (
	"slices"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// stages turn the need into the recommended size, in this order. Each one starts from what the ones before made.
var stages = [...]policy.Stage{
	policy.StageFloor, stageFit, policy.StageEvidence, policy.StageStepLimit, policy.StageDisruption, policy.StageCoolDown,
	policy.StageMode,
}

// stageFit stands for the stages that the policy applies by itself.
const stageFit = policy.StageBounds

// apply runs one stage. Stages are called by name and not through function values, which would put every input on the
// heap.
func (o *outcome) apply(stage policy.Stage) {
	switch stage {
	case policy.StageFloor:
		o.applyFloor()
	case stageFit:
		o.fit()
	case policy.StageEvidence:
		o.applyEvidence()
	case policy.StageStepLimit:
		o.applyStepLimit()
	case policy.StageDisruption:
		o.applyDisruption()
	case policy.StageCoolDown:
		o.applyCoolDown()
	case policy.StageMode:
		o.applyMode()
	case policy.StageRatio, policy.StageCatalogue, policy.StageStep:
		// Part of the fit.
	}
}

// fit applies the policy to the need.
func (o *outcome) fit() {
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

	// What the floor did comes first. Where it did nothing, the list is taken as it is.
	o.adjustments = slices.Insert(adjustments, 0, o.adjustments...)
	o.fitReplicas()
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
		o.because(ReasonRatio)
	case policy.StageCatalogue:
		if a.Limited {
			o.because(ReasonLimitedByCatalogue)
		} else {
			o.because(ReasonRounded)
		}
	case policy.StageStep:
		o.because(ReasonRounded)
	case policy.StageBounds:
		o.explainBounds(a)
	case policy.StageFloor, policy.StageEvidence, policy.StageStepLimit, policy.StageDisruption, policy.StageCoolDown,
		policy.StageMode:
		// These stages give their own reasons.
	}
}

func (o *outcome) explainBounds(a policy.Adjustment) {
	switch {
	case a.Limited:
		o.because(ReasonLimitedByMax)
	case a.After > a.Before:
		o.because(ReasonRaisedToMin)
	}

	if !o.in.Policy.Eligible() {
		o.because(ReasonNoCatalogueEntry)
	}
}
