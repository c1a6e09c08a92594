package twowindow

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
)

// ErrParams is wrapped by every problem that Params.Validate finds.
var ErrParams = errors.New("two-window parameters")

// Params are the constants of the rule.
type Params struct {
	// SmallWindow is the look-back that sees recent load. A shorter one oscillates, a longer one scales down late.
	SmallWindow time.Duration
	// LargeWindow is the look-back that remembers; more than a day, so that it holds every daily peak.
	LargeWindow time.Duration
	// CPUMinThreshold and CPUMaxThreshold are the edges of the band of CPU utilisation in which CPU is kept, as shares
	// of the allocation.
	CPUMinThreshold, CPUMaxThreshold float64
	// CPUTarget is the utilisation a resize aims at; 0 means the geometric mean of the edges, from which load has to
	// rise or fall by the same factor before anything moves.
	CPUTarget float64
	// StableMultiplier is the memory headroom of a service whose memory use varies little.
	StableMultiplier float64
	// SpikyMultiplier is the memory headroom of a service whose memory use varies much: its peak is far above its usual
	// use already.
	SpikyMultiplier float64
	// SpikyRatio is the peak / median of resident memory above which use counts as spiky.
	SpikyRatio float64
	// SpikyBand is the share by which peak / median must fall below SpikyRatio before use that was spiky counts as stable
	// again; 0 for no such memory.
	SpikyBand float64
	// MemoryBandDown and MemoryBandUp are how far the need for memory may lie below and above the allocation, as shares of
	// it, before it moves; 0 moves it at once.
	MemoryBandDown, MemoryBandUp float64
	// OOMDecay is the time in which the OOM headroom goes back to the ordinary one; 0 keeps it for as long as the evidence
	// is in the window.
	OOMDecay time.Duration
	// OOMMultiplier is the memory headroom after requests were refused or processes killed for lack of memory.
	OOMMultiplier float64
	// MinCoverage is the share of each window that must hold samples before anything is lowered.
	MinCoverage float64
	// MaxSampleAge is how old the newest sample may be before nothing is lowered any more.
	MaxSampleAge time.Duration
	// TrendInterval is the time between two periodic evaluations of a service. The trend is seen between evaluations
	// that are at least half of it apart.
	TrendInterval time.Duration
}

// Defaults returns the published constants, and ours where none are published: SpikyRatio, MinCoverage, MaxSampleAge and
// TrendInterval.
//
// SpikyRatio is 1.5, the OOM headroom: a service whose peak is more than half above its usual use already gets, on top
// of that use, more than the largest headroom that the formula knows.
func Defaults() Params {
	return Params{
		SmallWindow:      3 * time.Hour,
		LargeWindow:      30 * time.Hour,
		CPUMinThreshold:  0.375,
		CPUMaxThreshold:  0.75,
		StableMultiplier: 1.25,
		SpikyMultiplier:  1.1,
		SpikyRatio:       1.5,
		OOMMultiplier:    1.5,
		MinCoverage:      0.8,
		MaxSampleAge:     15 * time.Minute,
		TrendInterval:    10 * time.Minute,
	}
}

// Validate returns every problem at once, joined; each wraps ErrParams.
func (p Params) Validate() error {
	const most = 10

	var problems []error

	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: "+format, append([]any{ErrParams}, args...)...))
		}
	}

	check(p.SmallWindow > 0, "small window %s must be above 0", p.SmallWindow)
	check(p.LargeWindow > p.SmallWindow, "large window %s must be longer than the small one, %s",
		p.LargeWindow, p.SmallWindow)
	check(p.CPUMinThreshold > 0 && p.CPUMinThreshold < p.CPUMaxThreshold && p.CPUMaxThreshold <= 1,
		"CPU thresholds %g and %g must be 0 < minimum < maximum <= 1", p.CPUMinThreshold, p.CPUMaxThreshold)
	check(p.CPUTarget == 0 || p.CPUTarget >= p.CPUMinThreshold && p.CPUTarget <= p.CPUMaxThreshold,
		"CPU target %g must lie between the thresholds %g and %g, else a resize would ask for the next one",
		p.CPUTarget, p.CPUMinThreshold, p.CPUMaxThreshold)
	check(p.SpikyMultiplier >= 1 && p.SpikyMultiplier <= most, "spiky multiplier %g must be 1 to %d", p.SpikyMultiplier, most)
	check(p.StableMultiplier >= p.SpikyMultiplier && p.StableMultiplier <= most,
		"stable multiplier %g must be between the spiky one, %g, and %d", p.StableMultiplier, p.SpikyMultiplier, most)
	check(p.OOMMultiplier >= p.StableMultiplier && p.OOMMultiplier <= most,
		"OOM multiplier %g must be between the stable one, %g, and %d", p.OOMMultiplier, p.StableMultiplier, most)
	check(p.SpikyRatio >= 1 && !math.IsInf(p.SpikyRatio, 1), "spiky ratio %g must be 1 or more", p.SpikyRatio)
	check(p.SpikyBand >= 0 && p.SpikyBand < 1, "spiky band %g must be 0 or more and below 1", p.SpikyBand)
	check(p.MemoryBandDown >= 0 && p.MemoryBandDown < 1, "memory band down %g must be 0 or more and below 1", p.MemoryBandDown)
	check(p.MemoryBandUp >= 0 && 1+p.MemoryBandUp <= p.SpikyMultiplier,
		"memory band up %g must be 0 or more and leave some of the smallest headroom, %g", p.MemoryBandUp, p.SpikyMultiplier)
	check(p.OOMDecay >= 0, "OOM decay %s must be 0 or more", p.OOMDecay)
	check(p.MinCoverage > 0 && p.MinCoverage <= 1, "minimum coverage %g must be above 0 and at most 1", p.MinCoverage)
	check(p.MaxSampleAge > 0, "maximum sample age %s must be above 0", p.MaxSampleAge)
	check(p.TrendInterval > 0, "trend interval %s must be above 0", p.TrendInterval)

	return errors.Join(problems...)
}

// target is the utilisation a resize aims at: sqrt(min * max) unless it is set.
func (p Params) target() float64 {
	if p.CPUTarget > 0 {
		return p.CPUTarget
	}

	return math.Sqrt(p.CPUMinThreshold * p.CPUMaxThreshold)
}

// explained lists the parameters for explanations.
func (p Params) explained() []recommender.Parameter {
	return []recommender.Parameter{
		{Name: "small_window_seconds", Value: p.SmallWindow.Seconds()},
		{Name: "large_window_seconds", Value: p.LargeWindow.Seconds()},
		{Name: "cpu_min_threshold", Value: p.CPUMinThreshold},
		{Name: "cpu_max_threshold", Value: p.CPUMaxThreshold},
		{Name: "cpu_target", Value: p.target()},
		{Name: "memory_stable_multiplier", Value: p.StableMultiplier},
		{Name: "memory_spiky_multiplier", Value: p.SpikyMultiplier},
		{Name: "memory_spiky_ratio", Value: p.SpikyRatio},
		{Name: "memory_spiky_band", Value: p.SpikyBand},
		{Name: "memory_band_down", Value: p.MemoryBandDown},
		{Name: "memory_band_up", Value: p.MemoryBandUp},
		{Name: "memory_oom_multiplier", Value: p.OOMMultiplier},
		{Name: "memory_oom_decay_seconds", Value: p.OOMDecay.Seconds()},
		{Name: "min_coverage", Value: p.MinCoverage},
		{Name: "max_sample_age_seconds", Value: p.MaxSampleAge.Seconds()},
		{Name: "trend_interval_seconds", Value: p.TrendInterval.Seconds()},
	}
}
