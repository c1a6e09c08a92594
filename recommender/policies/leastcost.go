package policies

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

var leastCostFields = []field[leastcost.Params]{
	section("cpu", func(p *leastcost.Params) *leastcost.Weighing { return &p.CPU }, weighingFields),
	section("memory", func(p *leastcost.Params) *leastcost.Weighing { return &p.Memory }, weighingFields),
	duration("span", func(p *leastcost.Params) *time.Duration { return &p.Span }),
	duration("min_history", func(p *leastcost.Params) *time.Duration { return &p.MinHistory }),
	duration("evidence_window", func(p *leastcost.Params) *time.Duration { return &p.EvidenceWindow }),
	factor("oom_multiplier", func(p *leastcost.Params) *float64 { return &p.OOMMultiplier }),
	share("saturation", func(p *leastcost.Params) *float64 { return &p.Saturation }),
	factor("saturation_multiplier", func(p *leastcost.Params) *float64 { return &p.SaturationMultiplier }),
	duration("saturation_patience", func(p *leastcost.Params) *time.Duration { return &p.SaturationPatience }),
	share("min_coverage", func(p *leastcost.Params) *float64 { return &p.MinCoverage }),
	duration("max_sample_age", func(p *leastcost.Params) *time.Duration { return &p.MaxSampleAge }),
}

var weighingFields = []field[leastcost.Weighing]{
	factor("price", func(w *leastcost.Weighing) *float64 { return &w.Price }),
	factor("headroom", func(w *leastcost.Weighing) *float64 { return &w.Headroom }),
	share("min_enough", func(w *leastcost.Weighing) *float64 { return &w.MinEnough }),
	list("decays", func(w *leastcost.Weighing) *[]usage.Decay { return &w.Decays }, []field[usage.Decay]{
		duration("half_life", func(d *usage.Decay) *time.Duration { return &d.HalfLife }),
		share("share", func(d *usage.Decay) *float64 { return &d.Share }),
	}),
	share("gain_up", func(w *leastcost.Weighing) *float64 { return &w.GainUp }),
	share("gain_down", func(w *leastcost.Weighing) *float64 { return &w.GainDown }),
	factor("gain_exponent", func(w *leastcost.Weighing) *float64 { return &w.GainExponent }),
	share("band_up", func(w *leastcost.Weighing) *float64 { return &w.BandUp }),
	share("band_down", func(w *leastcost.Weighing) *float64 { return &w.BandDown }),
	duration("hold", func(w *leastcost.Weighing) *time.Duration { return &w.Hold }),
}
