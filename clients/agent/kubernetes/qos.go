package kubernetes

import "slices"

// qosClass is how a node treats a pod when memory runs out. The API server refuses a resize that would change it.
type qosClass string

const (
	bestEffort qosClass = "BestEffort"
	burstable  qosClass = "Burstable"
	guaranteed qosClass = "Guaranteed"
)

// qos returns the class of a pod: BestEffort when no container asks for anything or is limited, Guaranteed when every one
// has limits of both CPU and memory that equal its requests, and Burstable otherwise.
func (s *podSpec) qos() qosClass {
	nothing, all := true, true

	for _, c := range slices.Concat(s.Containers, s.InitContainers) {
		for _, name := range sizes {
			request, limit := amount(name, c.Resources.Requests[name]), amount(name, c.Resources.Limits[name])
			nothing = nothing && request <= 0 && limit <= 0
			all = all && limit > 0 && request == limit
		}
	}

	switch {
	case nothing:
		return bestEffort
	case all:
		return guaranteed
	default:
		return burstable
	}
}

// with returns the pod with other resources of one container.
func (s *podSpec) with(name string, gets resources) *podSpec {
	other := *s
	other.Containers = slices.Clone(s.Containers)
	other.container(name).Resources = gets

	return &other
}
