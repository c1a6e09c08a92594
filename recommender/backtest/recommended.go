package backtest

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Sizing is how the product sizes one service.
type Sizing struct {
	// Policy and Recommender decide.
	Policy      policy.Policy
	Recommender recommender.Recommender
	// Request is what they read.
	Request usage.Request
}

// NewSizing returns a sizing that reads what the recommender and the floor of the policy need.
func NewSizing(p policy.Policy, r recommender.Recommender) Sizing {
	request := r.Needs()
	if p.Floor.Window > 0 {
		request = request.WithWindow(p.Floor.Window)
	}

	return Sizing{Policy: p, Recommender: r, Request: request}
}

// Recommended is a contender that sizes services as the product does.
func Recommended(name string, params map[string]any, sizing func(service *Series) (Sizing, error)) Contender {
	return Contender{Name: name, Params: params, New: func(service *Series) (Player, error) {
		s, err := sizing(service)
		if err != nil {
			return nil, err
		}

		return &recommended{sizing: s, service: service, history: history.New(s.Request)}, nil
	}}
}

// recommended asks recommender.Decide.
type recommended struct {
	sizing  Sizing
	service *Series
	history *history.History
	state   recommender.State
}

func (r *recommended) Observe(sample history.Sample) { r.history.Observe(sample) }

func (r *recommended) Kill(seconds, residentBytes int64) { r.history.Kill(seconds, residentBytes) }

func (r *recommended) Decide(m Moment) Answer {
	snapshot := r.history.Snapshot(m.Now)
	snapshot.Service, snapshot.Labels = r.service.Service, r.service.Labels
	snapshot.Allocation, snapshot.AllocationTime = m.Allocation, m.Now

	decision := recommender.Decide(r.sizing.Recommender, recommender.Input{
		Service: r.service.Service, Now: m.Now, Policy: r.sizing.Policy, Allocation: m.Allocation, Usage: snapshot,
		State: r.state, Periodic: m.Periodic,
	})
	r.state = decision.State

	return Answer{Size: atLeastOne(decision.Recommended), Observed: decision.Mode == policy.ModeObserveOnly}
}

// atLeastOne keeps a size above nothing, which no demand can be compared with.
func atLeastOne(s size.Size) size.Size {
	s.CPUMillis, s.MemoryBytes, s.Replicas = max(1, s.CPUMillis), max(1, s.MemoryBytes), max(1, s.Replicas)

	return s
}
