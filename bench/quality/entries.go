package main

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// entry is one way to size in the comparison.
type entry struct {
	backtest.Contender

	kind string // vpaKind for all points of its sweep
	ours bool
}

// sizes is the policy of all: the smallest size is that of the Vertical Pod Autoscaler, and any size above is legal.
func sizes(*backtest.Series) policy.Policy {
	return policy.Policy{Name: "bench", Min: size.Resources{CPUMillis: minCPUMillis, MemoryBytes: minMemoryMiB << 20}}
}

// The margin and the percentile of the Vertical Pod Autoscaler.
const (
	margin          = 1.15
	usualPercentile = 0.90
)

// vpaKind is the kind of all points of the Vertical Pod Autoscaler's sweep.
const vpaKind = "vpa"

// entries are all that are compared.
func entries() ([]entry, error) {
	all, err := ours()
	if err != nil {
		return nil, err
	}

	for _, percentile := range []float64{0.90, 0.95, 0.98, 0.99} {
		for _, margin := range []float64{1.0, 1.15, 1.3, 1.5} {
			all = append(all, entry{Contender: vpa(percentile, margin), kind: vpaKind})
		}
	}

	for _, other := range []backtest.Contender{
		backtest.SingleWindow("window-3h", 3*time.Hour, margin, sizes),
		backtest.SingleWindow("window-30h", 30*time.Hour, margin, sizes),
		backtest.Static("static-2x", 2, sizes),
	} {
		all = append(all, entry{Contender: other, kind: other.Name})
	}

	return all, nil
}

// ours are the profiles, and the rule behind two of them with its knobs turned.
func ours() ([]entry, error) {
	var all []entry

	for _, name := range profile.Names() {
		r, err := profile.New(name)
		if err != nil {
			return nil, err
		}

		contender := backtest.Sized(name, map[string]any{"profile": name}, r, sizes)
		all = append(all, entry{Contender: contender, kind: name, ours: true})
	}

	swept, err := sweep()

	return append(all, swept...), err
}
