package policies

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

var twoWindowFields = []field[twowindow.Params]{
	duration("small_window", func(p *twowindow.Params) *time.Duration { return &p.SmallWindow }),
	duration("large_window", func(p *twowindow.Params) *time.Duration { return &p.LargeWindow }),
	share("cpu_min_threshold", func(p *twowindow.Params) *float64 { return &p.CPUMinThreshold }),
	share("cpu_max_threshold", func(p *twowindow.Params) *float64 { return &p.CPUMaxThreshold }),
	share("cpu_target", func(p *twowindow.Params) *float64 { return &p.CPUTarget }),
	factor("memory_stable_multiplier", func(p *twowindow.Params) *float64 { return &p.StableMultiplier }),
	factor("memory_spiky_multiplier", func(p *twowindow.Params) *float64 { return &p.SpikyMultiplier }),
	factor("memory_spiky_ratio", func(p *twowindow.Params) *float64 { return &p.SpikyRatio }),
	share("memory_spiky_band", func(p *twowindow.Params) *float64 { return &p.SpikyBand }),
	share("memory_band_down", func(p *twowindow.Params) *float64 { return &p.MemoryBandDown }),
	share("memory_band_up", func(p *twowindow.Params) *float64 { return &p.MemoryBandUp }),
	factor("memory_oom_multiplier", func(p *twowindow.Params) *float64 { return &p.OOMMultiplier }),
	duration("memory_oom_decay", func(p *twowindow.Params) *time.Duration { return &p.OOMDecay }),
	share("min_coverage", func(p *twowindow.Params) *float64 { return &p.MinCoverage }),
	duration("max_sample_age", func(p *twowindow.Params) *time.Duration { return &p.MaxSampleAge }),
	duration("trend_interval", func(p *twowindow.Params) *time.Duration { return &p.TrendInterval }),
}
