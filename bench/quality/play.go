package main

import (
	"context"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// row is how well one entry did on one recording.
type row struct {
	backtest.Result

	// Name tells apart the points of a sweep.
	Name string `json:"name"`
	// Ours reports that it is one of our recommenders.
	Ours bool `json:"ours"`
	// DominatedBy says which of ours are better; only of the others.
	DominatedBy *dominance `json:"dominated_by,omitempty"` //nolint:tagliatelle // as the results of all benchmarks are named
}

// play replays a recording with all entries.
func play(ctx context.Context, recording recording, entries []entry) ([]*row, error) {
	contenders := make([]backtest.Contender, 0, len(entries))
	for _, e := range entries {
		contenders = append(contenders, e.Contender)
	}

	results, err := backtest.Run(ctx, backtest.Defaults(), recording.name, recording.source, contenders)
	if err != nil {
		return nil, err
	}

	rows := make([]*row, 0, len(results))

	for i, result := range results {
		r := &row{Result: result, Name: result.Recommender, Ours: entries[i].ours}
		r.Recommender = entries[i].kind
		r.Worst = nil // names of services are of no use here

		rows = append(rows, r)
	}

	compare(rows)

	return rows, nil
}
