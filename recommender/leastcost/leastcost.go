// Package leastcost sizes a service by what its own past says that each size would cost: so much for every moment in
// which it would have been too small, so much for the part of it that would have lain idle. It takes the size with the
// least cost, and changes a size only when that saves enough.
//
// The past is a histogram of use in which newer samples count more, by several half-lives at once: the last hours, the
// last day, the last weeks. One number, the price of being too small, moves the answer along the trade between idle
// capacity and shortage.
package leastcost

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Name is how policies and explanations call this recommender.
const Name = "least_cost"

// bucket is the length of the window of the newest use.
const bucket = 10 * time.Minute

// Recommender is the rule with its constants. It is immutable and safe for concurrent use.
type Recommender struct {
	params      Params
	needs       usage.Request
	cpu, memory *bounds
	explained   []recommender.Parameter
}

var _ recommender.Recommender = (*Recommender)(nil)

// New returns the rule with the given constants. Its error joins every problem of the parameters.
func New(params Params) (*Recommender, error) {
	if err := params.Validate(); err != nil {
		return nil, fmt.Errorf("new least-cost recommender: %w", err)
	}

	needs := usage.Request{Histograms: usage.HistogramRequest{
		Span:   params.Span,
		CPU:    usage.HistogramShape{Buckets: CPUBuckets(), Decays: params.CPU.Decays},
		Memory: usage.HistogramShape{Buckets: MemoryBuckets(), Decays: params.Memory.Decays},
	}}.WithWindow(bucket).WithWindow(params.EvidenceWindow)

	explained := params.explained()
	params.CPU, params.Memory = params.CPU.scaled(), params.Memory.scaled()

	return &Recommender{
		params: params, needs: needs, cpu: newBounds(CPUBuckets()), memory: newBounds(MemoryBuckets()),
		explained: explained,
	}, nil
}

// CPUBuckets are for millicores: from 1 millicore to 1,000 cores, by 3 %.
func CPUBuckets() usage.Buckets { return usage.Buckets{First: 1, Growth: 1.03, Count: 350} }

// MemoryBuckets are for bytes: from 1 MB to 1 TB, by 3 %.
func MemoryBuckets() usage.Buckets { return usage.Buckets{First: 1e6, Growth: 1.03, Count: 350} }

// Name returns Name.
func (r *Recommender) Name() string { return Name }

// Needs asks for both histograms, the newest use, and the evidence of memory that was short.
func (r *Recommender) Needs() usage.Request { return r.needs }

// Recommend weighs CPU and memory, each on its own.
func (r *Recommender) Recommend(in recommender.Input) recommender.Proposal {
	proposal := recommender.Proposal{State: in.State}
	proposal.Explanation.Parameters = r.explained
	proposal.Explanation.Facts = make([]recommender.Parameter, 0, factsHint)

	e := evaluation{Recommender: r, in: &in, proposal: &proposal}
	e.newest, e.recent = e.window(bucket), e.window(r.params.EvidenceWindow)

	e.checkEvidence()
	e.weighCPU()
	e.weighMemory()

	proposal.Insufficient = proposal.Need.IsZero()

	return proposal
}

// factsHint is the usual number of facts, set aside at once.
const factsHint = 20

// evaluation is one run of the rule.
type evaluation struct {
	*Recommender

	in             *recommender.Input
	newest, recent usage.Window
	proposal       *recommender.Proposal
}

// window returns a window without what cannot be true.
func (e *evaluation) window(length time.Duration) usage.Window {
	w, _ := e.in.Usage.Window(length)

	w, plausible := w.Plausible()
	if !plausible {
		e.proposal.Because(recommender.ReasonImplausibleData)
	}

	return w
}

// fact notes a number of the account.
func (e *evaluation) fact(name string, value float64) {
	e.proposal.Explanation.Facts = append(e.proposal.Explanation.Facts, recommender.Parameter{Name: name, Value: value})
}
