// Package external sizes a service by the advice of an outside recommender. It does not ask: whoever evaluates does, and
// hands the answer in.
//
// Advice that fails to come never shrinks a service. For a while the last good answer stands in: it may still raise a size
// or keep it, but not lower it, since nobody has confirmed it against what is used now. After that the service stays as it
// is. An amount that is 0 says nothing, and is never taken for a wish to remove a service.
package external

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Name is how policies and explanations call this recommender.
const Name = "external"

const (
	// evaluationTime is longer than an evaluation takes: an answer that is older than that belongs to another one.
	evaluationTime = maxTimeout
	// maxSampleAge is how old the newest sample may be before nothing is lowered any more, if usage is read at all: advice
	// can be no better than what it was given.
	maxSampleAge = 15 * time.Minute
)

// Recommender follows advice. It is immutable and safe for concurrent use.
type Recommender struct {
	params    Params
	needs     usage.Request
	explained []recommender.Parameter
}

var _ recommender.Recommender = (*Recommender)(nil)

// New returns the rule with the given constants. Its error joins every problem of the parameters.
func New(params Params) (*Recommender, error) {
	if err := params.Validate(); err != nil {
		return nil, fmt.Errorf("new external recommender: %w", err)
	}

	params = params.clone()

	return &Recommender{params: params, needs: usage.Request{Windows: params.Windows}, explained: params.explained()}, nil
}

// Name returns Name.
func (r *Recommender) Name() string { return Name }

// Needs asks for the windows of the parameters.
func (r *Recommender) Needs() usage.Request { return r.needs }

// factsHint and reasonsHint are the usual numbers of each, set aside at once.
const (
	factsHint   = 4
	reasonsHint = 4
)

// Recommend proposes what the advice asks for.
func (r *Recommender) Recommend(in recommender.Input) recommender.Proposal {
	proposal := recommender.Proposal{Reasons: make([]recommender.Reason, 0, reasonsHint), State: in.State}
	proposal.Explanation.Parameters = r.explained

	if len(r.params.Windows) > 0 && in.Usage.Stale(in.Now, maxSampleAge) {
		keep(&proposal, recommender.ReasonStaleData)
	}

	advice, ok := r.advice(&in, &proposal)
	if !ok {
		keep(&proposal, recommender.ReasonExternalUnavailable)

		proposal.Insufficient = true

		return proposal
	}

	r.follow(&in, advice, &proposal)

	return proposal
}

// keep forbids to lower anything, for a reason.
func keep(p *recommender.Proposal, reason recommender.Reason) {
	p.KeepCPU, p.KeepMemory, p.KeepReplicas = true, true, true
	p.Because(reason)
}

// follow proposes what the advice asks for, within the limit of the parameters.
func (r *Recommender) follow(in *recommender.Input, advice recommender.Advice, p *recommender.Proposal) {
	facts := append(make([]recommender.Parameter, 0, factsHint),
		recommender.Parameter{Name: "advice_cpu_millis", Value: float64(advice.Size.CPUMillis)},
		recommender.Parameter{Name: "advice_memory_bytes", Value: float64(advice.Size.MemoryBytes)},
		recommender.Parameter{Name: "advice_replicas", Value: float64(advice.Size.Replicas)},
		recommender.Parameter{Name: "advice_age_seconds", Value: in.Now.Sub(advice.Time).Seconds()},
	)
	p.Explanation.Facts = facts
	p.Need, p.Replicas = advice.Size.Resources(), advice.Size.Replicas

	if most := r.params.MaxReplicas; most > 0 && p.Replicas > most {
		p.Replicas = most
		p.Because(recommender.ReasonLimitedByMax)
	}

	if p.Replicas > 0 && in.Allocation.Replicas <= 0 {
		p.Because(recommender.ReasonNoReplicas)
	}
}
