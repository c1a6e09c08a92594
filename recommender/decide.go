package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Decide asks the recommender for a need and applies to it what holds for every recommender, in this order: the floor,
// the fit of the policy (ratio, catalogue or step, bounds), the evidence rule, the step limit, the rules of disruption,
// the cool-down, the mode.
//
// What always holds:
//   - Without a known allocation there is nothing to compare with: nothing is recommended and State stays as it is.
//   - A hold keeps the allocation. It raises it to the policy's minimum, since that asks for no data, and never lowers
//     it to the maximum: a need that could not be judged is no ground to take anything away.
//   - Nothing falls on windows that are missing or empty, or without a newest sample, whatever the recommender says.
//   - Amounts that are negative or beyond the limits of package size count as unknown.
//   - The direction compares the allocation with the final size, so a service at its bound is not reported as moving.
func Decide(r Recommender, in Input) Decision {
	if !in.Allocation.Resources().Known() {
		return undecided(r, in)
	}

	// A recommender that waits after a change must know of one that is seen now for the first time.
	in.State.Scaling = in.State.Scaling.next(in.Allocation, in.Now)

	proposal := r.Recommend(in)
	told := account{reasons: proposal.Reasons, mode: in.Policy.Mode.OrDefault(), scaling: in.State.Scaling}
	o := newOutcome(&told, &in, &proposal, !dataSeen(r, &in))

	for _, stage := range stages {
		o.apply(stage)
	}

	return o.decision(r, &proposal)
}

// undecided is the answer when the allocation is not known.
func undecided(r Recommender, in Input) Decision {
	return Decision{
		Allocation:  in.Allocation,
		Recommended: in.Allocation,
		Observed:    in.Allocation,
		Uncapped:    in.Allocation,
		Direction:   DirectionNone,
		Mode:        in.Policy.Mode.OrDefault(),
		Disruption:  in.Policy.Disruption.Class.OrDefault(),
		Status:      StatusInsufficientData,
		Reasons:     []Reason{ReasonNoAllocation},
		Explanation: Explanation{
			Recommender: r.Name(),
			Data:        DataExplanation{NewestSampleTime: in.Usage.NewestSample, ReadTime: in.Usage.ReadTime},
		},
		State: in.State,
	}
}

// dataSeen reports that everything the recommender reads holds data. It is the least that lowering needs; a recommender
// asks for more. One that reads nothing has to judge its evidence by itself.
func dataSeen(r Recommender, in *Input) bool {
	needs := r.Needs()

	for _, length := range needs.Windows {
		w, ok := in.Usage.Window(length)
		if !ok {
			return false
		}

		if w, _ = w.Plausible(); w.Coverage <= 0 || w.Empty() {
			return false
		}
	}

	if needs.Histograms.Wanted() && (in.Usage.CPUHistogram == nil || in.Usage.MemoryHistogram == nil) {
		return false
	}

	return len(needs.Windows) == 0 && !needs.Histograms.Wanted() || !in.Usage.NewestSample.IsZero()
}

// decision is the answer after all stages. It completes the proposal and is made of it.
func (o *outcome) decision(r Recommender, proposal *Proposal) Decision {
	explanation := &proposal.Explanation
	explanation.Recommender = r.Name()
	explanation.Adjustments = o.adjustments
	explanation.Data = DataExplanation{
		NewestSampleTime: o.in.Usage.NewestSample,
		ReadTime:         o.in.Usage.ReadTime,
		CPUMayFall:       !o.keepCPU,
		MemoryMayFall:    !o.keepMemory,
		ReplicasMayFall:  !o.replicas.keep,
	}

	proposal.State.Scaling = o.scaling

	recommended := o.sized(o.target, o.replicas.target)
	direction := CompareSizes(o.in.Allocation, recommended)

	return Decision{
		Allocation:  o.in.Allocation,
		Recommended: recommended,
		Observed:    o.sized(o.observed, o.replicas.observed),
		Uncapped:    o.sized(o.uncapped(), o.replicas.need),
		Direction:   direction,
		Mode:        o.mode,
		Plan:        o.plan(proposal.Plan),
		Disruption:  o.in.Policy.Disruption.Class.OrDefault(),
		Status:      o.status(proposal.Insufficient, direction),
		Reasons:     o.reasons,
		Explanation: *explanation,
		State:       proposal.State,
	}
}

// plan returns the recommender's plan as long as nothing came between it and the answer.
func (o *outcome) plan(plan []GroupChange) []GroupChange {
	if o.replicas.target != o.replicas.need {
		return nil
	}

	return plan
}

// sized is a size with the number of replicas; one that is not controlled here stays as it is.
func (o *outcome) sized(resources size.Resources, replicas int32) size.Size {
	if o.replicas.current == 0 {
		replicas = o.in.Allocation.Replicas
	}

	return size.Size{Replicas: replicas}.With(resources)
}

// uncapped is what the recommender wants, with the allocation for what it holds.
func (o *outcome) uncapped() size.Resources {
	need := o.proposed

	for _, resource := range size.Both() {
		if o.holds(resource) {
			need = need.Set(resource, o.allocation.Get(resource))
		}
	}

	return need
}

func (o *outcome) status(insufficient bool, direction Direction) Status {
	switch {
	case insufficient:
		return StatusInsufficientData
	case o.limited():
		return StatusLimited
	case o.held && direction == DirectionNone:
		return StatusHold
	default:
		return StatusOK
	}
}

// limited reports that the policy's own limits leave the final size below the need. What waits for a better time is not
// limited.
func (o *outcome) limited() bool {
	for _, a := range o.adjustments {
		switch a.Stage {
		case policy.StageMode, policy.StageDisruption, policy.StageCoolDown:
			continue
		case policy.StageFloor, policy.StageRatio, policy.StageCatalogue, policy.StageStep, policy.StageBounds,
			policy.StageEvidence, policy.StageStepLimit:
		}

		if a.Limited && o.short(a.Resource) {
			return true
		}
	}

	return false
}

// short reports that the final size is below the need.
func (o *outcome) short(resource size.Resource) bool {
	if resource == size.Replicas {
		return o.replicas.target < o.replicas.need
	}

	return o.target.Get(resource) < o.need.Get(resource)
}
