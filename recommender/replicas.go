package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// replicas is the part of an outcome that concerns the number of replicas. All fields are 0 when that number is not
// known; then it is not controlled here and stays so.
type replicas struct {
	current  int32
	need     int32 // What is wanted; the current number to hold it.
	target   int32 // The number after the stages so far.
	observed int32 // The target with what the policy wants only to be looked at.
	keep     bool
	held     bool // Nobody asked to change it.
}

func newReplicas(in *Input, proposal *Proposal, unseen bool) replicas {
	current := in.Allocation.Replicas
	if current <= 0 || current > size.MaxReplicas {
		return replicas{}
	}

	r := replicas{current: current, need: current, target: current, keep: proposal.KeepReplicas || unseen, held: true}
	if proposal.Replicas > 0 && proposal.Replicas <= size.MaxReplicas {
		r.need, r.held = proposal.Replicas, false
	}

	return r
}

// fitReplicas applies the bounds. A number that nobody asked to change is raised to the minimum and not lowered.
func (o *outcome) fitReplicas() {
	r := &o.replicas
	if r.current == 0 {
		return
	}

	target := r.need

	if high := o.in.Policy.MaxReplicas; high > 0 && target > high && !r.held {
		target = high
		o.because(ReasonLimitedByMax)
	}

	if low := o.in.Policy.MinReplicas; target < low {
		target = low
		o.because(ReasonRaisedToMin)
	}

	o.adjustments = recordReplicas(o.adjustments, policy.StageBounds, r.need, r.need, target)
	r.target = target
}

// moveReplicas changes the target and records it.
func (o *outcome) moveReplicas(stage policy.Stage, target int32) {
	if o.replicas.target == target {
		return
	}

	o.held = true
	o.adjustments = recordReplicas(o.adjustments, stage, o.replicas.need, o.replicas.target, target)
	o.replicas.target = target
}

// keepReplicas takes back a fall, and reports whether there was one.
func (o *outcome) keepReplicas(stage policy.Stage) bool {
	if o.replicas.target >= o.replicas.current {
		return false
	}

	o.moveReplicas(stage, o.replicas.current)
	o.because(ReasonScaleDownBlocked)

	return true
}

func recordReplicas(adjustments []policy.Adjustment, stage policy.Stage, need, before, after int32) []policy.Adjustment {
	if before == after {
		return adjustments
	}

	return append(adjustments, policy.Adjustment{
		Stage: stage, Resource: size.Replicas, Before: int64(before), After: int64(after), Limited: after < need,
	})
}
