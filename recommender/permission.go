package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyMode applies what the policy permits in each direction of each resource. It comes last and has the last word.
func (o *outcome) applyMode() {
	o.forbid()
	o.observed, o.replicas.observed = o.target, o.replicas.target
	o.observe()
	o.dropSmallChange(policy.StageMode)

	if o.mode == policy.ModeObserveOnly {
		o.observed, o.replicas.observed = o.target, o.replicas.target
	}
}

// forbid takes back the changes that are switched off.
func (o *outcome) forbid() {
	const stage = policy.StageMode

	p := &o.in.Policy
	off := func(resource size.Resource, up bool) bool { return p.Permits(resource, up) == policy.ModeOff }

	risen, fallen := o.restrict(stage,
		restriction{off(size.CPU, true), off(size.Memory, true)}, restriction{off(size.CPU, false), off(size.Memory, false)})

	if off(size.Replicas, true) && o.changed(size.Replicas) == DirectionUp {
		o.moveReplicas(stage, o.replicas.current)

		risen = true
	}

	if off(size.Replicas, false) && o.keepReplicas(stage) {
		fallen = true
	}

	_, changes := o.permitted()

	switch {
	case risen, p.Mode.OrDefault() == policy.ModeOff && !changes:
		o.because(ReasonModeOff)
	case fallen:
		o.because(ReasonModeUpOnly)
	}
}

// observe takes the changes that are only to be looked at out of the target, unless there are no others: then the whole
// answer is to be looked at.
func (o *outcome) observe() {
	looked, enforced := o.permitted()

	switch {
	case o.mode == policy.ModeObserveOnly && !enforced, looked && !enforced:
		o.mode = policy.ModeObserveOnly
	case looked:
		o.mode = policy.ModeEnforce
		resources, number := o.enforced()
		o.move(policy.StageMode, resources)
		o.moveReplicas(policy.StageMode, number)
	case enforced && (o.mode != policy.ModeUpOnly || o.falls()):
		// An exception from a mode that would not allow it.
		o.mode = policy.ModeEnforce
	}

	if looked || o.mode == policy.ModeObserveOnly {
		o.because(ReasonModeObserveOnly)
	}
}

// falls reports that any resource falls.
func (o *outcome) falls() bool {
	return o.changed(size.CPU) == DirectionDown || o.changed(size.Memory) == DirectionDown || o.changed(size.Replicas) == DirectionDown
}

// permitted reports whether any change is only to be looked at, and whether any may be acted on. Coupled resources go
// together.
func (o *outcome) permitted() (looked, enforced bool) {
	for _, resource := range [...]size.Resource{size.CPU, size.Memory, size.Replicas} {
		switch {
		case o.changed(resource) == DirectionNone:
		case o.observes(resource):
			looked = true
		default:
			enforced = true
		}
	}

	return looked, enforced
}

// observes reports that the resource changes in a direction that is only to be looked at.
func (o *outcome) observes(resource size.Resource) bool {
	if resource != size.Replicas && o.in.Policy.Coupled() {
		return o.observesAlone(size.CPU) || o.observesAlone(size.Memory)
	}

	return o.observesAlone(resource)
}

func (o *outcome) observesAlone(resource size.Resource) bool {
	change := o.changed(resource)

	return change != DirectionNone && o.in.Policy.Permits(resource, change == DirectionUp) == policy.ModeObserveOnly
}

// enforced is the target without what is only to be looked at.
func (o *outcome) enforced() (size.Resources, int32) {
	target, number := o.target, o.replicas.target

	for _, resource := range size.Both() {
		if o.observes(resource) {
			target = target.Set(resource, o.allocation.Get(resource))
		}
	}

	if o.observes(size.Replicas) {
		number = o.replicas.current
	}

	return target, number
}
