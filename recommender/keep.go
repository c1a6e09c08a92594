package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyEvidence keeps what the data does not suffice to lower. The reasons for that come with the proposal.
func (o *outcome) applyEvidence(stage policy.Stage) {
	floor := size.Resources{}

	if o.keepCPU {
		floor.CPUMillis = o.allocation.CPUMillis
	}

	if o.keepMemory {
		floor.MemoryBytes = o.allocation.MemoryBytes
	}

	o.keep(stage, floor)
}

// applyMode applies the policy's mode, which comes last and has the last word.
func (o *outcome) applyMode(stage policy.Stage) {
	switch o.in.Policy.Mode.OrDefault() {
	case policy.ModeOff:
		o.move(stage, o.allocation)
		o.reasons = appendReason(o.reasons, ReasonModeOff)
	case policy.ModeUpOnly:
		if o.keep(stage, o.allocation) {
			o.reasons = appendReason(o.reasons, ReasonModeUpOnly)
		}
	case policy.ModeEnforce:
	case policy.ModeObserveOnly:
		o.reasons = appendReason(o.reasons, ReasonModeObserveOnly)
	default:
		// A mode that is not known cannot have been meant to allow more than looking.
		o.reasons = appendReason(o.reasons, ReasonModeObserveOnly)
	}
}

// keep raises the target to the floor, and reports whether it had to. A target that came from a catalogue or a ratio
// must not be patched in one resource only, so the fit is tried again with the floor as part of the need.
func (o *outcome) keep(stage policy.Stage, floor size.Resources) bool {
	if o.target.Covers(floor) {
		return false
	}

	raised := o.target.Max(floor)

	if o.in.Policy.Coupled() {
		raised = o.in.Policy.Fitted(o.need.Max(floor))

		// The maximum lies below the floor: then the whole size stays, so that the pair is at least one that exists.
		if !raised.Covers(floor) {
			raised = raised.Max(o.allocation)
		}
	}

	o.move(stage, raised)
	o.reasons = appendReason(o.reasons, ReasonScaleDownBlocked)

	return true
}

// move changes the target and records it.
func (o *outcome) move(stage policy.Stage, target size.Resources) {
	if o.target == target {
		return
	}

	o.held = true
	o.adjustments = policy.Record(o.adjustments, stage, o.need, o.target, target)
	o.target = target
}
