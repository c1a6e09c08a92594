// Package policy says how a class of services is sized: which sizes are legal, in which steps, and what may be done with
// the answer. It turns a need into the nearest legal size and keeps account of what it changed.
package policy

import "github.com/tidemark-project/tidemark/recommender/size"

// Policy is how a class of services is sized. The zero value allows every size. A field that is 0 is switched off.
type Policy struct {
	// Name identifies the policy.
	Name string
	// Hash identifies the content; ContentHash computes it.
	Hash string
	// Min and Max bound each replica; 0 in a resource means no bound on that side.
	Min, Max size.Resources
	// Catalogue lists the only sizes there are, by CPU and then memory, both ascending. A need becomes the first entry
	// that covers it. It excludes the steps below.
	Catalogue []size.Resources
	// StepCPUMillis is the CPU increment, in thousandths of a core: a need is rounded up to a multiple.
	StepCPUMillis int64
	// StepMemoryBytes is the memory increment, in bytes. With a ratio, one step implies the other.
	StepMemoryBytes int64
	// MemoryPerCoreBytes ties both resources together: each core comes with this much memory and both move in lockstep.
	MemoryPerCoreBytes int64
	// MinReplicas and MaxReplicas bound the number of replicas; 0 means no bound on that side.
	MinReplicas, MaxReplicas int32
	// Floor keeps the size above the peaks of a longer window.
	Floor Floor
	// StepUp and StepDown bound one change in either direction.
	StepUp, StepDown StepLimit
	// Disruption says when a change is worth disturbing the service.
	Disruption Disruption
	// CoolDown is how long a size stays after it changed.
	CoolDown CoolDown
	// Mode says what may be done with the answer; empty means ModeEnforce.
	Mode Mode
	// Permissions are the exceptions from Mode, by resource and direction.
	Permissions Permissions
}

// Mode says what may be done with a recommendation.
type Mode string

// The modes.
const (
	// ModeEnforce lets the recommendation go either way and be acted on.
	ModeEnforce Mode = "enforce"
	// ModeObserveOnly computes and marks the recommendation as not to be acted on.
	ModeObserveOnly Mode = "observe-only"
	// ModeUpOnly never recommends less than the allocation.
	ModeUpOnly Mode = "up-only"
	// ModeOff recommends the allocation, whatever is needed.
	ModeOff Mode = "off"
)

// Modes returns every mode.
func Modes() []Mode {
	return []Mode{ModeEnforce, ModeObserveOnly, ModeUpOnly, ModeOff}
}

// OrDefault returns the mode that an empty mode stands for, and every other mode as it is.
func (m Mode) OrDefault() Mode {
	if m == "" {
		return ModeEnforce
	}

	return m
}

// Default returns a policy that suits a database of any kind: quarter cores and half gibibytes, from one step up to
// 64 cores and 256 GiB, with CPU and memory moving independently.
func Default() Policy {
	const mebibyte = 1 << 20

	policy := Policy{
		Name:            "default",
		Min:             size.Resources{CPUMillis: 250, MemoryBytes: 512 * mebibyte},
		Max:             size.Resources{CPUMillis: 64_000, MemoryBytes: 256 * 1024 * mebibyte},
		StepCPUMillis:   250,
		StepMemoryBytes: 512 * mebibyte,
		Mode:            ModeEnforce,
	}
	policy.Hash = policy.ContentHash()

	return policy
}

// Coupled reports that CPU and memory cannot be chosen apart: there is a ratio, or a catalogue of pairs.
func (p *Policy) Coupled() bool {
	return p.MemoryPerCoreBytes > 0 || len(p.Catalogue) > 0
}
