// Package replicas finds how many replicas a service needs, from the demand on all of them together and the utilisation
// that each is to have; or, if asked to, size and number together.
//
// The number alone follows Google's Autopilot (EuroSys 2020, section 3.4) and the Kubernetes Horizontal Pod Autoscaler, the
// pair follows Vespa's autoscaler. Demand is taken to spread evenly over the replicas.
package replicas

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Name is how policies and explanations call this recommender.
const Name = "replicas"

// bucket is the shortest window there is.
const bucket = 10 * time.Minute

// Recommender is the rule with its constants. It is immutable and safe for concurrent use.
type Recommender struct {
	params    Params
	needs     usage.Request
	explained []recommender.Parameter
}

var _ recommender.Recommender = (*Recommender)(nil)

// New returns the rule with the given constants. Its error joins every problem of the parameters.
func New(params Params) (*Recommender, error) {
	if err := params.Validate(); err != nil {
		return nil, fmt.Errorf("new replicas recommender: %w", err)
	}

	needs := usage.Request{Totals: true}.WithWindow(params.UpWindow).WithWindow(params.DownWindow)

	return &Recommender{params: params, needs: needs, explained: params.explained()}, nil
}

// Name returns Name.
func (r *Recommender) Name() string { return Name }

// Needs asks for both windows, and the sums over all replicas in them.
func (r *Recommender) Needs() usage.Request { return r.needs }

// evaluation is one run of the rule.
type evaluation struct {
	*Recommender

	in       *recommender.Input
	present  pair
	up, down usage.Window // What adds replicas and what must have passed before some are removed.
	demands  [2]demand
	proposal *recommender.Proposal
}

// factsHint and reasonsHint are the usual numbers of each, set aside at once.
const (
	factsHint   = 20
	reasonsHint = 4
)

// Recommend finds the number, or the pair.
func (r *Recommender) Recommend(in recommender.Input) recommender.Proposal {
	proposal := recommender.Proposal{Reasons: make([]recommender.Reason, 0, reasonsHint), State: in.State}
	proposal.Explanation.Parameters = r.explained
	proposal.Explanation.Facts = make([]recommender.Parameter, 0, factsHint)

	e := evaluation{
		Recommender: r, in: &in, proposal: &proposal,
		present: pair{in.Allocation.Resources(), in.Allocation.Replicas},
	}

	if e.present.count <= 0 {
		proposal.Because(recommender.ReasonNoReplicas)

		return proposal
	}

	e.checkEvidence()
	e.measure()

	switch {
	case !e.demands[0].known() && !e.demands[1].known():
		proposal.Insufficient = true
	case r.params.Joint:
		e.choosePair()
	default:
		e.chooseNumber()
	}

	return proposal
}

// fact notes a number of the account.
func (e *evaluation) fact(name string, value float64) {
	e.proposal.Explanation.Facts = append(e.proposal.Explanation.Facts, recommender.Parameter{Name: name, Value: value})
}

// pair is a size and a number of replicas that have it.
type pair struct {
	size  size.Resources
	count int32
}
