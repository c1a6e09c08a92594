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
	// Advice is what an outside recommender has answered for this evaluation; the zero value when it was not asked or did
	// not answer.
	Advice Advice
	// Periodic says that the evaluation belongs to the regular schedule. Only such an evaluation advances State.Trend.
	Periodic bool
}

// Recommender turns usage into a need.
type Recommender interface {
	// Name identifies the recommender in policies and explanations.
	Name() string
	// Needs returns what it reads. Its slices are shared; do not change them.
	Needs() usage.Request
	// Recommend proposes a need. Decide calls it only with a known allocation, and with State.Scaling brought up to it.
	Recommend(in Input) Proposal
}

// Proposal is what one recommender wants, before anything that holds for all of them.
type Proposal struct {
	// Need is what each replica needs, before the policy. A resource of 0 asks to hold that resource where it is.
	Need size.Resources
	// Replicas is how many replicas are needed, before the policy; 0 asks to hold their number.
	Replicas int32
	// KeepCPU, KeepMemory and KeepReplicas forbid to lower the resource, because the data does not suffice.
	KeepCPU, KeepMemory, KeepReplicas bool
	// Plan is how groups of replicas have to change to get there, in order; empty for a recommender that knows no groups.
	Plan []GroupChange
	// Insufficient reports that there was too little data to judge at all.
	Insufficient bool
	// Reasons say how the need came about.
	Reasons []Reason
	// Explanation is the recommender's part; Decide adds the adjustments.
	Explanation Explanation
	// State replaces Input.State, but for State.Scaling, which is Decide's.
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
	// Observed is Recommended and, on top of it, the changes that the policy wants only to be looked at.
	Observed size.Size
	// Uncapped is the need before the policy; a resource that is held shows the allocation.
	Uncapped size.Size
	// Direction compares Recommended with Allocation.
	Direction Direction
	// Mode says what may be done with the answer.
	Mode policy.Mode
	// Plan is how groups of replicas have to change, in order. It is the recommender's and knows nothing of the policy's
	// bounds; empty when the recommended number of replicas is not what the recommender asked for.
	Plan []GroupChange
	// Disruption says what a change may do to the service.
	Disruption policy.DisruptionClass
	// Status says how good the answer is.
	Status Status
	// Reasons say why, without repeats.
	Reasons []Reason
	// Explanation is the whole account.
	Explanation Explanation
	// State is to be handed to the next decision of the service.
	State State
}
