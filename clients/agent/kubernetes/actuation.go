package kubernetes

import "fmt"

// actuation is how far the kubelet is with a resize.
type actuation int

const (
	// notAsked: the spec of the pod does not say the size.
	notAsked actuation = iota
	// underWay: the kubelet has yet to do it.
	underWay
	// deferred: the kubelet does it as soon as there is room on the node.
	deferred
	// infeasible: the kubelet will not do it on this node.
	infeasible
	// actuated: the container has what the spec says.
	actuated
)

// actuation says how far the kubelet is with what the spec says of a container, and what it says about that.
func (p *pod) actuation(name string) (actuation, string) {
	if pending := p.Status.condition("PodResizePending"); pending != nil && p.current(pending) {
		switch pending.Reason {
		case "Infeasible":
			return infeasible, pending.Message
		case "Deferred":
			return deferred, pending.Message
		default:
			return underWay, pending.Reason + ": " + pending.Message
		}
	}

	if seen := p.Status.ObservedGeneration; seen != 0 && seen < p.Metadata.Generation {
		return underWay, "the kubelet has not seen it"
	}

	status := p.Status.container(name)
	if status == nil || status.Resources == nil {
		return underWay, fmt.Sprintf("the container %s does not run", name)
	}

	if running := p.Status.condition("PodResizeInProgress"); running != nil && p.current(running) {
		return underWay, "the kubelet is at it " + running.Message
	}

	if !same(p.Spec.container(name).Resources, *status.Resources) {
		return underWay, "the container does not have it"
	}

	return actuated, ""
}

// current reports that a condition speaks of the spec that the pod has now. An old kubelet does not say of which it speaks.
func (p *pod) current(c *condition) bool {
	return c.ObservedGeneration == 0 || c.ObservedGeneration >= p.Metadata.Generation
}
