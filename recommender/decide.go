package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Decide asks the recommender for a need and applies to it what holds for every recommender, in this order: the fit of
// the policy (ratio, catalogue or step, bounds), the evidence rule, the mode.
//
// What always holds:
//   - Without a known allocation there is nothing to compare with: nothing is recommended and State stays as it is.
//   - A hold keeps the allocation. It raises it to the policy's minimum, since that asks for no data, and never lowers
//     it to the maximum: a need that could not be judged is no ground to take anything away.
//   - Nothing falls on windows that are missing or empty, or without a newest sample, whatever the recommender says.
//   - Amounts that are negative or beyond the limits of package size count as unknown.
//   - The direction compares the allocation with the final size, so a service at its bound is not reported as moving.
func Decide(r Recommender, in Input) Decision {
	allocation := in.Allocation.Resources()

	if !allocation.Known() {
		return undecided(r, in)
	}

	proposal := r.Recommend(in)
	unseen := !dataSeen(r, &in)

	o := outcome{
		in:         &in,
		allocation: allocation,
		target:     allocation,
		reasons:    proposal.Reasons,
		proposed:   plausible(proposal.Need),
		keepCPU:    proposal.KeepCPU || unseen,
		keepMemory: proposal.KeepMemory || unseen,
	}

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
		Uncapped:    in.Allocation,
		Direction:   DirectionNone,
		Mode:        in.Policy.Mode.OrDefault(),
		Status:      StatusInsufficientData,
		Reasons:     []Reason{ReasonNoAllocation},
		Explanation: Explanation{
			Recommender: r.Name(),
			Data:        DataExplanation{NewestSampleTime: in.Usage.NewestSample, ReadTime: in.Usage.ReadTime},
		},
		State: in.State,
	}
}

// plausible turns amounts that cannot be true into a wish to hold.
func plausible(need size.Resources) size.Resources {
	if need.CPUMillis < 0 || need.CPUMillis > size.MaxCPUMillis {
		need.CPUMillis = 0
	}

	if need.MemoryBytes < 0 || need.MemoryBytes > size.MaxMemoryBytes {
		need.MemoryBytes = 0
	}

	return need
}

// dataSeen reports that every window the recommender reads holds data. It is the least that lowering needs; a
// recommender asks for more.
func dataSeen(r Recommender, in *Input) bool {
	for _, length := range r.Windows() {
		w, ok := in.Usage.Window(length)
		if !ok {
			return false
		}

		if w, _ = w.Plausible(); w.Coverage <= 0 || w.Empty() {
			return false
		}
	}

	return !in.Usage.NewestSample.IsZero()
}

// decision is the answer after all stages.
func (o *outcome) decision(r Recommender, proposal *Proposal) Decision {
	explanation := proposal.Explanation
	explanation.Recommender = r.Name()
	explanation.Adjustments = o.adjustments
	explanation.Data = DataExplanation{
		NewestSampleTime: o.in.Usage.NewestSample,
		ReadTime:         o.in.Usage.ReadTime,
		CPUMayFall:       !o.keepCPU,
		MemoryMayFall:    !o.keepMemory,
	}

	direction := CompareBoth(o.allocation, o.target)

	return Decision{
		Allocation:  o.in.Allocation,
		Recommended: o.in.Allocation.With(o.target),
		Uncapped:    o.in.Allocation.With(o.need),
		Direction:   direction,
		Mode:        o.in.Policy.Mode.OrDefault(),
		Status:      o.status(proposal.Insufficient, direction),
		Reasons:     o.reasons,
		Explanation: explanation,
		State:       proposal.State,
	}
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

// limited reports that the policy's own limits leave the final size below the need.
func (o *outcome) limited() bool {
	for _, a := range o.adjustments {
		if a.Limited && a.Stage != policy.StageMode && o.target.Get(a.Resource) < o.need.Get(a.Resource) {
			return true
		}
	}

	return false
}
