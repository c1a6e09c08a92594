package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// outcome is a decision in the making.
type outcome struct {
	*account

	in         *Input
	allocation size.Resources
	proposed   size.Resources // What the recommender wants; 0 to hold the resource.
	need       size.Resources // What it wants, with the allocation for what it holds, and not below the floor.
	target     size.Resources // The size after the stages so far.
	evidence   size.Resources // What the data does not suffice to go below.
	observed   size.Resources // The target with what the policy wants only to be looked at.
	replicas   replicas
	keepCPU    bool
	keepMemory bool
	held       bool
}

// account is what a decision says of itself. It lies apart, because what is handed out and what is appended to would put
// all that lies beside it on the heap, the input first.
type account struct {
	mode        policy.Mode
	scaling     Scaling
	reasons     []Reason
	adjustments []policy.Adjustment
}

func newOutcome(a *account, in *Input, proposal *Proposal, unseen bool) outcome {
	o := outcome{
		account:    a,
		in:         in,
		allocation: in.Allocation.Resources(),
		proposed:   plausible(proposal.Need),
		keepCPU:    proposal.KeepCPU || unseen,
		keepMemory: proposal.KeepMemory || unseen,
	}
	o.replicas = newReplicas(in, proposal, unseen)
	o.target, o.need = o.allocation, o.proposed

	for _, resource := range size.Both() {
		if o.holds(resource) {
			o.need = o.need.Set(resource, o.allocation.Get(resource))
			o.held = true
		}
	}

	return o
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

func (o *outcome) because(reasons ...Reason) {
	o.reasons = appendReason(o.reasons, reasons...)
}

// keep raises the target to the floor, and reports whether it had to. A target that came from a catalogue or a ratio
// must not be patched in one resource only, so the fit is tried again with the floor as part of the need.
func (o *outcome) keep(stage policy.Stage, floor size.Resources) bool {
	if o.target.Covers(floor) {
		return false
	}

	raised := o.target.Max(floor)

	switch {
	case !o.in.Policy.Coupled():
	case o.allocation.Covers(o.target):
		// To take back a fall is to stay, and not to be rounded up to a pair that nobody asked for.
		raised = o.allocation
	default:
		raised = o.in.Policy.Fitted(o.target.Max(floor))

		// The maximum lies below the floor: then nothing of what there is goes away.
		if !raised.Covers(floor) {
			raised = raised.Max(o.allocation)
		}
	}

	o.move(stage, raised)
	o.because(ReasonScaleDownBlocked)

	return true
}

// restrict takes back what must not rise and what must not fall, and reports whether there was any of either. A pair
// that cannot keep to both stays as it is.
func (o *outcome) restrict(stage policy.Stage, rise, fall restriction) (risen, fallen bool) {
	risen, fallen = o.violates(rise, DirectionUp), o.violates(fall, DirectionDown)

	if fallen {
		o.keep(stage, fall.of(o.allocation))
	}

	switch {
	case !o.violates(rise, DirectionUp):
	case o.in.Policy.Coupled():
		o.move(stage, o.allocation)
	default:
		o.move(stage, o.target.Min(rise.of(o.allocation).Max(rise.inverse().of(o.target))))
	}

	return risen, fallen
}

// restriction says which resources must not change.
type restriction struct{ cpu, memory bool }

// of keeps the resources that the restriction names.
func (r restriction) of(resources size.Resources) size.Resources {
	if !r.cpu {
		resources.CPUMillis = 0
	}

	if !r.memory {
		resources.MemoryBytes = 0
	}

	return resources
}

func (r restriction) inverse() restriction {
	return restriction{!r.cpu, !r.memory}
}

// violates reports that a resource that the restriction names goes in the direction.
func (o *outcome) violates(r restriction, direction Direction) bool {
	return r.cpu && o.changed(size.CPU) == direction || r.memory && o.changed(size.Memory) == direction
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

// changed compares the target with the allocation in one resource.
func (o *outcome) changed(resource size.Resource) Direction {
	if resource == size.Replicas {
		return Compare(int64(o.replicas.current), int64(o.replicas.target))
	}

	return Compare(o.allocation.Get(resource), o.target.Get(resource))
}
