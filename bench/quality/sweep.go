package main

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// knobs are one setting of the least-cost rule for one resource. All other constants are those of the balanced profile.
type knobs struct {
	price, headroom, minEnough float64

	past             []usage.Decay
	gainUp, gainDown float64 // as they are, whatever the price
	bandUp, bandDown float64
	hold             float64 // hours
	patience         float64 // hours of saturation until more is asked for; CPU only
}

// How fast the past is forgotten: by one half-life, named by its hours, or by two, named by the hours of the shorter one.
var (
	hours9   = fading(9)
	hours12  = fading(12)
	hours16  = fading(16)
	hours24  = fading(24)
	hours42  = fading(42)
	hours48  = fading(48)
	hours72  = fading(72)
	hours168 = fading(168)

	mostly5  = []usage.Decay{{HalfLife: 5 * time.Hour, Share: 0.8}, {HalfLife: 48 * time.Hour, Share: 0.2}}
	mostly9  = []usage.Decay{{HalfLife: 9 * time.Hour, Share: 0.88}, {HalfLife: 72 * time.Hour, Share: 0.12}}
	mostly24 = []usage.Decay{{HalfLife: 24 * time.Hour, Share: 0.85}, {HalfLife: 168 * time.Hour, Share: 0.15}}
	mixed12  = []usage.Decay{{HalfLife: 12 * time.Hour, Share: 0.7}, {HalfLife: 96 * time.Hour, Share: 0.3}}
	mixed24  = []usage.Decay{{HalfLife: 24 * time.Hour, Share: 0.6}, {HalfLife: 168 * time.Hour, Share: 0.4}}
	mixed42  = []usage.Decay{{HalfLife: 42 * time.Hour, Share: 0.7}, {HalfLife: 168 * time.Hour, Share: 0.3}}
	even12   = []usage.Decay{{HalfLife: 12 * time.Hour, Share: 0.5}, {HalfLife: 96 * time.Hour, Share: 0.5}}
)

func fading(hours float64) []usage.Decay {
	return []usage.Decay{{HalfLife: length(hours), Share: 1}}
}

func length(hours float64) time.Duration { return time.Duration(hours * float64(time.Hour)) }

func (k knobs) weighing() leastcost.Weighing {
	return leastcost.Weighing{
		Price: k.price, Headroom: k.headroom, MinEnough: k.minEnough, Decays: k.past, GainUp: k.gainUp, GainDown: k.gainDown,
		BandUp: k.bandUp, BandDown: k.bandDown, Hold: length(k.hold),
	}
}

// note lists the knobs for the results.
func (k knobs) note(resource string, in map[string]any) {
	for name, value := range map[string]any{
		"price": k.price, "headroom": k.headroom, "min_enough": k.minEnough, "decays": k.past, "gain_up": k.gainUp,
		"gain_down": k.gainDown, "band_up": k.bandUp, "band_down": k.bandDown, "hold_hours": k.hold,
	} {
		in[resource+"_"+name] = value
	}
}

// sweep is the rule at each setting.
func sweep() ([]entry, error) {
	swept := make([]entry, 0, len(settings))

	for i, s := range settings {
		params := leastcost.Balanced()
		params.CPU, params.Memory, params.SaturationPatience = s.cpu.weighing(), s.memory.weighing(), length(s.cpu.patience)

		r, err := leastcost.New(params)
		if err != nil {
			return nil, fmt.Errorf("setting %d: %w", i+1, err)
		}

		noted := map[string]any{"saturation_patience_hours": s.cpu.patience}
		s.cpu.note("cpu", noted)
		s.memory.note("memory", noted)

		contender := backtest.Sized(fmt.Sprintf("least-cost %d", i+1), noted, r, sizes)
		swept = append(swept, entry{Contender: contender, kind: leastcost.Name, ours: true})
	}

	return swept, nil
}
