package leastcost

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Balanced returns the constants for services that must not run short: fewer minutes with too little and fewer changes
// than the Vertical Pod Autoscaler with its defaults, at no more idle capacity than that needs for as few minutes.
// They were found by replaying the recordings that make bench-quality replays, so what that says of them on these
// recordings is better than what others may see.
func Balanced() Params {
	params := common()
	params.CPU.Price, params.CPU.Headroom, params.CPU.MinEnough, params.CPU.GainDown = 17, 1.10, 0.94, 0.03
	params.Memory.Price, params.Memory.Headroom = 1000, 1.12

	return params
}

// Lean returns the constants for services that may run short of CPU now and then: no more such minutes than the Vertical
// Pod Autoscaler has with its defaults, with less idle capacity and fewer changes. A size that is a little too big is
// left alone, and more CPU is asked for only after two hours at the limit. Memory that runs out kills, so that of a week
// is remembered, with less on top.
func Lean() Params {
	params := common()
	params.CPU.Price, params.CPU.Headroom, params.CPU.MinEnough = 1.6, 1.08, 0.89
	params.CPU.GainUp, params.CPU.GainDown = 0.11, 0.05
	params.CPU.BandDown, params.CPU.Hold = 0.12, 36*time.Hour
	params.SaturationPatience = 2 * time.Hour
	params.Memory.Price, params.Memory.Headroom = 1000, 1.08
	params.Memory.Decays = []usage.Decay{{HalfLife: 168 * time.Hour, Share: 1}}
	params.Memory.GainUp, params.Memory.GainDown, params.Memory.BandUp = 0.02, 0.037, 0.05

	return params
}

// common is what all profiles share: what is not weighed.
func common() Params {
	const day = 24 * time.Hour

	return Params{
		CPU: Weighing{
			Decays: []usage.Decay{{HalfLife: 9 * time.Hour, Share: 0.88}, {HalfLife: 72 * time.Hour, Share: 0.12}},
			GainUp: 0.13, GainExponent: 1,
			BandUp: 0.07, BandDown: 0.03,
			Hold: 16 * time.Hour,
		},
		Memory: Weighing{
			Decays: []usage.Decay{{HalfLife: 42 * time.Hour, Share: 1}},
			GainUp: 0.06, GainDown: 0.045, GainExponent: 0.25,
			BandUp: 0.08, BandDown: 0.03,
			Hold: 12 * time.Hour,
		},
		Span:                 14 * day,
		MinHistory:           day,
		EvidenceWindow:       day,
		OOMMultiplier:        1.2,
		Saturation:           0.98,
		SaturationMultiplier: 1.25,
		SaturationPatience:   time.Hour,
		MinCoverage:          0.8,
		MaxSampleAge:         15 * time.Minute,
	}
}
