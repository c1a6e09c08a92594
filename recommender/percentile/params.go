package percentile

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Params are the constants of the rule.
type Params struct {
	// HalfLife is the age at which a sample counts half as much as a new one.
	HalfLife time.Duration
	// Span is how far back samples count, a multiple of an hour.
	Span time.Duration
	// PeakInterval is the length of the stretches of which only a replica's memory peak counts; 0 lets every minute count.
	PeakInterval time.Duration
	// CPUPercentile and MemoryPercentile are the shares of the samples that the target covers.
	CPUPercentile, MemoryPercentile float64
	// MemoryPeakShare is the share of the highest memory peak that the target covers at least; 0 for none. At 0.5, and a
	// MemoryPercentile of 0.6, it is Autopilot's rule for jobs that tolerate some kills: max(p60, 0.5 * peak).
	MemoryPeakShare float64
	// LowerPercentile and UpperPercentile are those of the confidence bounds.
	LowerPercentile, UpperPercentile float64
	// LoadAdjusted lets a sample of CPU weigh as much as it is high, as Autopilot does: the percentile is then of the work
	// done, and no longer of the time. More use can then ask for a little less, when the level at which most work is done
	// becomes a lower one.
	LoadAdjusted bool
	// Margin is the share that comes on top of every percentile.
	Margin float64
	// OOMRatio and OOMMinBytes say how much more memory is needed than was in use when a process was killed for lack of it:
	// used * OOMRatio or used + OOMMinBytes, whichever is more.
	OOMRatio    float64
	OOMMinBytes int64
	// MinCPUMillis and MinMemoryBytes are the least that a replica gets.
	MinCPUMillis, MinMemoryBytes int64
	// MinCoverage is the share of the last 24 hours that must hold samples before anything is lowered.
	MinCoverage float64
	// MaxSampleAge is how old the newest sample may be before nothing is lowered any more.
	MaxSampleAge time.Duration
	// SamplesPerDay is how many samples of CPU make a day's worth of confidence.
	SamplesPerDay float64
}

// Defaults returns the constants of the Kubernetes Vertical Pod Autoscaler, and ours for MinCoverage and MaxSampleAge.
func Defaults() Params {
	const mebibyte = 1 << 20

	return Params{
		HalfLife:         24 * time.Hour,
		Span:             8 * 24 * time.Hour,
		PeakInterval:     24 * time.Hour,
		CPUPercentile:    0.90,
		MemoryPercentile: 0.90,
		LowerPercentile:  0.50,
		UpperPercentile:  0.95,
		Margin:           0.15,
		OOMRatio:         1.2,
		OOMMinBytes:      100 * mebibyte,
		MinCPUMillis:     25,
		MinMemoryBytes:   250 * mebibyte,
		MinCoverage:      0.8,
		MaxSampleAge:     15 * time.Minute,
		SamplesPerDay:    1440,
	}
}

// Validate returns every problem at once, joined; each is a *policy.FieldError.
func (p Params) Validate() error {
	var problems []error

	check := func(ok bool, field, format string, args ...any) {
		if !ok {
			problems = append(problems, &policy.FieldError{Field: field, Description: fmt.Sprintf(format, args...)})
		}
	}

	const (
		most    = 10
		maxSpan = 14 * 24 * time.Hour
	)

	check(p.HalfLife > 0, "half_life", "%s must be above 0", p.HalfLife)
	check(p.Span >= time.Hour && p.Span <= maxSpan && p.Span%time.Hour == 0, "span",
		"%s must be a multiple of 1 hour, up to 14 days", p.Span)
	check(p.PeakInterval >= 0 && p.PeakInterval <= p.Span, "peak_interval",
		"%s must be between 0 (every minute counts) and the span, %s", p.PeakInterval, p.Span)
	check(p.LowerPercentile > 0 && p.LowerPercentile <= 1, "lower_percentile", "%g must be above 0 and at most 1", p.LowerPercentile)
	check(p.UpperPercentile > 0 && p.UpperPercentile <= 1, "upper_percentile", "%g must be above 0 and at most 1", p.UpperPercentile)
	check(p.CPUPercentile >= p.LowerPercentile && p.CPUPercentile <= p.UpperPercentile, "cpu_percentile",
		"%g must lie between the lower percentile, %g, and the upper one, %g", p.CPUPercentile, p.LowerPercentile, p.UpperPercentile)
	check(p.MemoryPeakShare >= 0 && p.MemoryPeakShare <= 1, "memory_peak_share", "%g must be between 0 and 1", p.MemoryPeakShare)
	check(p.MemoryPercentile >= p.LowerPercentile && p.MemoryPercentile <= p.UpperPercentile, "memory_percentile",
		"%g must lie between the lower percentile, %g, and the upper one, %g", p.MemoryPercentile, p.LowerPercentile, p.UpperPercentile)
	check(p.Margin >= 0 && p.Margin <= most, "margin", "%g must be between 0 (none) and %d", p.Margin, most)
	check(p.OOMRatio >= 1 && p.OOMRatio <= most, "oom_ratio", "%g must be between 1 (off) and %d", p.OOMRatio, most)
	check(p.OOMMinBytes >= 0 && p.OOMMinBytes <= size.MaxMemoryBytes, "oom_min", "%s must be between 0 (off) and %s",
		size.FormatMemory(p.OOMMinBytes), size.FormatMemory(size.MaxMemoryBytes))
	check(p.MinCPUMillis >= 0 && p.MinCPUMillis <= size.MaxCPUMillis, "min_cpu", "%s must be between 0 (none) and %s",
		size.FormatCPU(p.MinCPUMillis), size.FormatCPU(size.MaxCPUMillis))
	check(p.MinMemoryBytes >= 0 && p.MinMemoryBytes <= size.MaxMemoryBytes, "min_memory", "%s must be between 0 (none) and %s",
		size.FormatMemory(p.MinMemoryBytes), size.FormatMemory(size.MaxMemoryBytes))
	check(p.MinCoverage > 0 && p.MinCoverage <= 1, "min_coverage", "%g must be above 0 and at most 1", p.MinCoverage)
	check(p.MaxSampleAge > 0, "max_sample_age", "%s must be above 0", p.MaxSampleAge)
	check(p.SamplesPerDay > 0 && p.SamplesPerDay <= 86_400, "samples_per_day",
		"%g must be above 0 and at most 86400 (one a second)", p.SamplesPerDay)

	return errors.Join(problems...)
}

// explained lists the parameters for explanations.
func (p Params) explained() []recommender.Parameter {
	return []recommender.Parameter{
		{Name: "half_life_seconds", Value: p.HalfLife.Seconds()},
		{Name: "span_seconds", Value: p.Span.Seconds()},
		{Name: "peak_interval_seconds", Value: p.PeakInterval.Seconds()},
		{Name: "cpu_percentile", Value: p.CPUPercentile},
		{Name: "memory_percentile", Value: p.MemoryPercentile},
		{Name: "memory_peak_share", Value: p.MemoryPeakShare},
		{Name: "lower_percentile", Value: p.LowerPercentile},
		{Name: "upper_percentile", Value: p.UpperPercentile},
		{Name: "load_adjusted", Value: indicator(p.LoadAdjusted)},
		{Name: "margin", Value: p.Margin},
		{Name: "oom_ratio", Value: p.OOMRatio},
		{Name: "oom_min_bytes", Value: float64(p.OOMMinBytes)},
		{Name: "min_cpu_millis", Value: float64(p.MinCPUMillis)},
		{Name: "min_memory_bytes", Value: float64(p.MinMemoryBytes)},
		{Name: "min_coverage", Value: p.MinCoverage},
		{Name: "max_sample_age_seconds", Value: p.MaxSampleAge.Seconds()},
		{Name: "samples_per_day", Value: p.SamplesPerDay},
	}
}

// indicator shows a yes or no as a number.
func indicator(yes bool) float64 {
	if yes {
		return 1
	}

	return 0
}
