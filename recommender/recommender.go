// Package recommender answers how big a service should be. It is pure: no input or output, no clock, no transport, no
// log; the same Input always gives the same Decision.
//
// A Recommender turns usage into a need; Decide turns the need into a recommended size by what holds for every
// recommender: the policy, and the rule that missing, late or broken data never lowers anything.
package recommender

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Input is everything a decision depends on.
type Input struct {
	// Service is the key, "tenant/name".
	Service string
	// Now is the time of the evaluation.
	Now time.Time
	// Policy is how the service is sized. It should have passed Validate; one that has not still gives a size within
	// its bounds.
	Policy policy.Policy
	// Allocation is the size the service has now. CPU or memory of 0 means that it is not known.
	Allocation size.Size
	// Usage is what the service was seen to use.
	Usage usage.Snapshot
	// State is what the previous decision of the service returned; the zero value when there is none.
	State State
	// Periodic says that the evaluation belongs to the regular schedule. Only such an evaluation advances State.
	Periodic bool
}

// State is what a service's evaluations remember from one to the next: the need of the small window at the two latest
// periodic slots. Needs are before rounding; a resource that is 0 was not known.
type State struct {
	// Time is the latest periodic slot; the zero time when there is none.
	Time time.Time
	// Small is the need at Time.
	Small size.Resources
	// PrevTime is the slot before; the zero time when there is none.
	PrevTime time.Time
	// PrevSmall is the need at PrevTime.
	PrevSmall size.Resources
}

// Recommender turns usage into a need.
type Recommender interface {
	// Name identifies the recommender in policies and explanations.
	Name() string
	// Windows returns the look-back windows it reads, shortest first. The slice is shared; do not change it.
	Windows() []time.Duration
	// Recommend proposes a need. Decide calls it only with a known allocation.
	Recommend(in Input) Proposal
}

// Proposal is what one recommender wants, before anything that holds for all of them.
type Proposal struct {
	// Need is what the service needs, before the policy. A resource of 0 asks to hold that resource where it is.
	Need size.Resources
	// KeepCPU and KeepMemory forbid to lower the resource, because the data does not suffice.
	KeepCPU, KeepMemory bool
	// Insufficient reports that there was too little data to judge at all.
	Insufficient bool
	// Reasons say how the need came about.
	Reasons []Reason
	// Explanation is the recommender's part; Decide adds the adjustments.
	Explanation Explanation
	// State replaces Input.State.
	State State
}

// Because adds reasons, each at most once.
func (p *Proposal) Because(reasons ...Reason) {
	p.Reasons = appendReason(p.Reasons, reasons...)
}

// Decision is the answer.
type Decision struct {
	// Allocation is the size that was compared with.
	Allocation size.Size
	// Recommended is the size to have; Allocation when there is nothing to change.
	Recommended size.Size
	// Uncapped is the need before the policy; a resource that is held shows the allocation.
	Uncapped size.Size
	// Direction compares Recommended with Allocation.
	Direction Direction
	// Mode says what may be done with the answer.
	Mode policy.Mode
	// Status says how good the answer is.
	Status Status
	// Reasons say why, without repeats.
	Reasons []Reason
	// Explanation is the whole account.
	Explanation Explanation
	// State is to be handed to the next decision of the service.
	State State
}
