package recommender

import (
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// applyEvidence keeps what the data does not suffice to lower. The reasons for that come with the proposal.
func (o *outcome) applyEvidence() {
	floor := size.Resources{}

	if o.keepCPU {
		floor.CPUMillis = o.allocation.CPUMillis
	}

	if o.keepMemory {
		floor.MemoryBytes = o.allocation.MemoryBytes
	}

	o.keep(policy.StageEvidence, floor)

	if o.replicas.keep {
		o.keepReplicas(policy.StageEvidence)
	}
}
