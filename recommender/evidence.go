package recommender

import "github.com/tidemark-project/tidemark/recommender/policy"

// applyEvidence keeps what the data does not suffice to lower. The reasons for that come with the proposal.
func (o *outcome) applyEvidence() {
	o.evidence = restriction{o.keepCPU, o.keepMemory}.of(o.allocation)
	o.keep(policy.StageEvidence, o.evidence)

	if o.replicas.keep {
		o.keepReplicas(policy.StageEvidence)
	}
}
