// Package threshold sizes a service by thresholds of its utilisation: above one of them it grows, below all of them it
// shrinks, a step at a time. It is the rule of the TiDB operator's TidbClusterAutoScaler with sustained durations, steps,
// a time of its own for each direction, and a look ahead that keeps it from shrinking into growing again.
package threshold

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Name is how policies and explanations call this recommender.
const Name = "threshold"

// bucket is the shortest window there is.
const bucket = 10 * time.Minute

// Recommender holds the rules. It is immutable and safe for concurrent use.
type Recommender struct {
	params    Params
	needs     usage.Request
	explained []recommender.Parameter
}

var _ recommender.Recommender = (*Recommender)(nil)

// New returns the rules with the given constants. Its error joins every problem of the parameters.
func New(params Params) (*Recommender, error) {
	if err := params.Validate(); err != nil {
		return nil, fmt.Errorf("new threshold recommender: %w", err)
	}

	params.Templates = slices.Clone(params.Templates)
	r := &Recommender{params: params, needs: usage.Request{Totals: true}, explained: params.explained()}

	for _, rule := range [...]Rule{params.CPU, params.Memory} {
		if rule.set() {
			r.needs = r.needs.WithWindow(rule.window())
		}
	}

	return r, nil
}

// Name returns Name.
func (r *Recommender) Name() string { return Name }

// Needs asks for the window of each rule, and the sums over all replicas in them.
func (r *Recommender) Needs() usage.Request { return r.needs }

// evaluation is one run of the rules.
type evaluation struct {
	*Recommender

	in       *recommender.Input
	judged   [2]judgement // In the order of size.Both.
	proposal *recommender.Proposal
}

// factsHint and reasonsHint are the usual numbers of each, set aside at once.
const (
	factsHint   = 20
	reasonsHint = 4
)

// Recommend judges each rule and proposes a step.
func (r *Recommender) Recommend(in recommender.Input) recommender.Proposal {
	proposal := recommender.Proposal{Reasons: make([]recommender.Reason, 0, reasonsHint), State: in.State}
	proposal.Explanation.Parameters = r.explained
	proposal.Explanation.Facts = make([]recommender.Parameter, 0, factsHint)

	// Without their number it is not known what all replicas together have.
	if in.Allocation.Replicas <= 0 {
		proposal.Because(recommender.ReasonNoReplicas)

		return proposal
	}

	e := evaluation{Recommender: r, in: &in, proposal: &proposal}
	e.judge()

	verdict := e.verdict()
	if !e.waits(verdict) {
		e.step(verdict)
	}

	return proposal
}

// step goes one step in a direction.
func (e *evaluation) step(verdict recommender.Direction) {
	if e.params.Axis == AxisSize {
		e.stepSize(verdict)
	} else {
		e.stepReplicas(verdict)
	}
}

// fact notes a number of the account.
func (e *evaluation) fact(name string, value float64) {
	e.proposal.Explanation.Facts = append(e.proposal.Explanation.Facts, recommender.Parameter{Name: name, Value: value})
}
