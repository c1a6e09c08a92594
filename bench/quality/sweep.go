package main

import (
	"fmt"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
)

// knobs are one setting of the least-cost rule for one resource. All other constants are those of the balanced profile.
type knobs struct{ price, headroom, minEnough float64 }

// settings walk the trade between idle capacity and shortage from one end to the other. CPU and memory are sized apart,
// so a setting of the one goes with any of the other, and one run tries both.
var settings = []struct{ cpu, memory knobs }{
	{knobs{0.7, 1, 0}, knobs{8, 1.02, 0}},
	{knobs{1.2, 1, 0}, knobs{16, 1.04, 0}},
	{knobs{2, 1.02, 0}, knobs{32, 1.04, 0}},
	{knobs{2.8, 1, 0}, knobs{64, 1.06, 0}},
	{knobs{2, 1.08, 0.92}, knobs{256, 1.08, 0}},
	{knobs{4, 1.04, 0.92}, knobs{64, 1.12, 0}},
	{knobs{5.6, 1, 0.92}, knobs{256, 1.12, 0}},
	{knobs{8, 1.04, 0.92}, knobs{1000, 1.15, 0}},
	{knobs{12, 1.04, 0.94}, knobs{256, 1.18, 0}},
	{knobs{18, 1.06, 0.92}, knobs{1000, 1.22, 0}},
	{knobs{30, 1.1, 0.94}, knobs{256, 1.3, 0}},
	{knobs{60, 1.1, 0.94}, knobs{1000, 1.3, 0}},
	{knobs{150, 1.11, 0.94}, knobs{64, 1.4, 0}},
	{knobs{150, 1.2, 0.94}, knobs{1000, 1.45, 0}},
	{knobs{600, 1.3, 0.94}, knobs{1000, 1.6, 0}},
}

// sweep is the rule at each setting.
func sweep() ([]entry, error) {
	swept := make([]entry, 0, len(settings))

	for i, s := range settings {
		params := leastcost.Balanced()
		params.CPU.Price, params.CPU.Headroom, params.CPU.MinEnough = s.cpu.price, s.cpu.headroom, s.cpu.minEnough
		params.Memory.Price, params.Memory.Headroom, params.Memory.MinEnough = s.memory.price, s.memory.headroom, s.memory.minEnough

		r, err := leastcost.New(params)
		if err != nil {
			return nil, fmt.Errorf("setting %d: %w", i+1, err)
		}

		contender := backtest.Sized(fmt.Sprintf("least-cost %d", i+1), map[string]any{
			"cpu_price": s.cpu.price, "cpu_headroom": s.cpu.headroom, "cpu_min_enough": s.cpu.minEnough,
			"memory_price": s.memory.price, "memory_headroom": s.memory.headroom,
		}, r, sizes)
		swept = append(swept, entry{Contender: contender, kind: leastcost.Name, ours: true})
	}

	return swept, nil
}
