// Package percentile sizes a service by a percentile of what it used, newer use counting more, and a margin. It is the
// model of the Kubernetes Vertical Pod Autoscaler; where that one knows of kills for lack of memory only, refused requests
// count here too, and nothing is lowered on a day that was not watched.
package percentile

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Name is how policies and explanations call this recommender.
const Name = "percentile"

// evidenceWindow is how far back kills and refused requests count, and what must have been watched.
const evidenceWindow = 24 * time.Hour

// Recommender is the rule with its constants. It is immutable and safe for concurrent use.
type Recommender struct {
	params      Params
	needs       usage.Request
	peaksPerDay float64
	explained   []recommender.Parameter
}

var _ recommender.Recommender = (*Recommender)(nil)

// New returns the rule with the given constants. Its error joins every problem of the parameters.
func New(params Params) (*Recommender, error) {
	if err := params.Validate(); err != nil {
		return nil, fmt.Errorf("new percentile recommender: %w", err)
	}

	decays := []usage.Decay{{HalfLife: params.HalfLife, Share: 1}}
	r := &Recommender{
		params: params,
		needs: usage.Request{
			Windows: []time.Duration{evidenceWindow},
			Histograms: usage.HistogramRequest{
				Span:   params.Span,
				CPU:    usage.HistogramShape{Buckets: usage.CPUBuckets(), Decays: decays},
				Memory: usage.HistogramShape{Buckets: usage.MemoryBuckets(), Decays: decays, PeakInterval: params.PeakInterval},
			},
		},
		peaksPerDay: params.SamplesPerDay,
		explained:   params.explained(),
	}

	if params.PeakInterval > 0 {
		r.peaksPerDay = day / params.PeakInterval.Hours()
	}

	return r, nil
}

// Name returns Name.
func (r *Recommender) Name() string { return Name }

// Needs asks for both histograms, and for a day of evidence.
func (r *Recommender) Needs() usage.Request { return r.needs }

// evaluation is one run of the rule.
type evaluation struct {
	*Recommender

	in       *recommender.Input
	recent   usage.Window
	proposal *recommender.Proposal
}

// factsHint and reasonsHint are the usual numbers of each, set aside at once.
const (
	factsHint   = 24
	reasonsHint = 4
)

// Recommend estimates CPU and memory, each on its own.
func (r *Recommender) Recommend(in recommender.Input) recommender.Proposal {
	proposal := recommender.Proposal{Reasons: make([]recommender.Reason, 0, reasonsHint), State: in.State}
	proposal.Explanation.Parameters = r.explained
	proposal.Explanation.Facts = make([]recommender.Parameter, 0, factsHint)

	e := evaluation{Recommender: r, in: &in, proposal: &proposal}
	e.checkEvidence()
	e.sizeCPU()
	e.sizeMemory()

	proposal.Insufficient = proposal.Need.IsZero()

	return proposal
}

// fact notes a number of the account.
func (e *evaluation) fact(name string, value float64) {
	e.proposal.Explanation.Facts = append(e.proposal.Explanation.Facts, recommender.Parameter{Name: name, Value: value})
}
