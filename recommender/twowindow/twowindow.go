// Package twowindow sizes a service from its peaks over a small and a large look-back window. The small window lets it
// scale down within hours, the large one remembers daily peaks, and a merge table says which of them to trust. The rule
// follows ClickHouse's article "Smarter Auto-Scaling … Two-Window Approach" of March 2026; what the article leaves open
// is decided and explained here.
package twowindow

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Name is how policies and explanations call this recommender.
const Name = "two_window"

// Recommender is the two-window rule. It is immutable and safe for concurrent use.
type Recommender struct {
	params    Params
	target    float64
	windows   []time.Duration
	explained []recommender.Parameter
}

var _ recommender.Recommender = (*Recommender)(nil)

// New returns the rule with the given constants. Its error joins every problem of the parameters.
func New(params Params) (*Recommender, error) {
	if err := params.Validate(); err != nil {
		return nil, fmt.Errorf("new two-window recommender: %w", err)
	}

	return &Recommender{
		params:    params,
		target:    params.target(),
		windows:   []time.Duration{params.SmallWindow, params.LargeWindow},
		explained: params.explained(),
	}, nil
}

// Name returns Name.
func (r *Recommender) Name() string {
	return Name
}

// Needs asks for the small and the large window.
func (r *Recommender) Needs() usage.Request {
	return usage.Request{Windows: r.windows}
}

// evaluation is one run of the rule.
type evaluation struct {
	*Recommender

	in           *recommender.Input
	policy       *policy.Policy
	allocation   size.Resources
	small, large *recommender.WindowExplanation
	proposal     *recommender.Proposal
}

// room is what an account takes, set aside at once.
type room struct {
	windows [2]recommender.WindowExplanation
	merges  [2]recommender.MergeExplanation
	reasons [8]recommender.Reason // the usual number; more go elsewhere
}

// Recommend sizes both windows on their own, merges their verdicts and proposes the need of the window that is trusted.
func (r *Recommender) Recommend(in recommender.Input) (proposal recommender.Proposal) {
	kept := new(room)
	windows := kept.windows[:]
	proposal.Reasons, proposal.State = kept.reasons[:0], in.State

	e := evaluation{
		Recommender: r,
		in:          &in,
		policy:      &in.Policy,
		allocation:  in.Allocation.Resources(),
		small:       &windows[0],
		large:       &windows[1],
		proposal:    &proposal,
	}

	e.assess(e.small, "small", r.params.SmallWindow, &proposal.State.Classes[0])
	e.assess(e.large, "large", r.params.LargeWindow, &proposal.State.Classes[1])
	e.checkEvidence()

	proposal.Explanation.Parameters = r.explained
	proposal.Explanation.Windows = windows
	proposal.Explanation.Merges = e.mergeAll(kept.merges[:0])
	proposal.Insufficient = e.large.Empty && proposal.Need.IsZero()
	e.advance(&proposal.State.Trend, smallNeed(e.small))

	return proposal
}
