package leastcost

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Params are the constants of the rule.
type Params struct {
	// CPU and Memory say how each resource is weighed.
	CPU, Memory Weighing
	// Span is how far back samples count, a multiple of an hour.
	Span time.Duration
	// MinHistory is how long a service must have been watched before anything is lowered.
	MinHistory time.Duration
	// EvidenceWindow is how far back refused requests and kills for lack of memory count, a multiple of 10 minutes.
	EvidenceWindow time.Duration
	// OOMMultiplier is the headroom above the memory that was in use when requests were refused or processes killed. It
	// decays to the ordinary headroom over the EvidenceWindow.
	OOMMultiplier float64
	// Saturation is the share of the CPU allocation from which on use counts as held back by it: what more would have been
	// used cannot be seen. SaturationMultiplier is how much more is asked for once that has lasted for the
	// SaturationPatience.
	Saturation, SaturationMultiplier float64
	SaturationPatience               time.Duration
	// MinCoverage is the share of the EvidenceWindow that must hold samples before anything is lowered.
	MinCoverage float64
	// MaxSampleAge is how old the newest sample may be before nothing is lowered any more.
	MaxSampleAge time.Duration
}

// Weighing says what being too small and being too big cost, for one resource.
type Weighing struct {
	// Price is how many idle allocations one allocation that is too small is worth: at 20, a minute in which a service has
	// too little costs as much as 20 minutes in which all that it has lies idle. It is the knob to turn.
	Price float64
	// Headroom is how much larger an allocation must be than a use to be enough for it, 1 or more.
	Headroom float64
	// MinEnough is the share of the moments for which an allocation must be enough whatever it costs, at least 0 and below 1.
	// It keeps the rule from trading a whole hour of the day for idle capacity.
	MinEnough float64
	// Decays say how fast samples lose weight.
	Decays []usage.Decay
	// GainUp and GainDown are how much lower the cost must get for a change to be made, in shares of the allocation. Both
	// grow with the price, as costs do, by (1 + Price / 20) ^ GainExponent.
	GainUp, GainDown, GainExponent float64
	// BandUp and BandDown are the smallest changes that are made, as shares of the allocation.
	BandUp, BandDown float64
	// Hold is how long after a rise the resource does not fall.
	Hold time.Duration
}

// usualPrice is the price from which on the gain that is asked for grows.
const usualPrice = 20

// scaled returns the weighing with the gains that its price asks for.
func (w Weighing) scaled() Weighing {
	factor := math.Pow(1+w.Price/usualPrice, w.GainExponent)
	w.GainUp, w.GainDown = w.GainUp*factor, w.GainDown*factor

	return w
}

// Validate returns every problem at once, joined; each is a *policy.FieldError.
func (p Params) Validate() error {
	var problems []error

	check := func(ok bool, field, format string, args ...any) {
		if !ok {
			problems = append(problems, &policy.FieldError{Field: field, Description: fmt.Sprintf(format, args...)})
		}
	}

	const most = 10

	check(p.Span >= time.Hour && p.Span%time.Hour == 0, "span", "%s must be a multiple of 1h, and at least that", p.Span)
	check(p.MinHistory >= 0 && p.MinHistory <= p.Span, "min_history", "%s must be between 0 and the span, %s", p.MinHistory, p.Span)
	check(p.EvidenceWindow >= bucket && p.EvidenceWindow%bucket == 0, "evidence_window",
		"%s must be a multiple of 10m, and at least that", p.EvidenceWindow)
	check(p.OOMMultiplier >= 1 && p.OOMMultiplier <= most, "oom_multiplier", "%g must be 1 to %d", p.OOMMultiplier, most)
	check(p.Saturation > 0 && p.Saturation <= 1, "saturation", "%g must be above 0 and at most 1", p.Saturation)
	check(p.SaturationMultiplier >= 1 && p.SaturationMultiplier <= most, "saturation_multiplier",
		"%g must be 1 to %d", p.SaturationMultiplier, most)
	check(p.SaturationPatience >= 0, "saturation_patience", "%s must be 0 or more", p.SaturationPatience)
	check(p.MinCoverage > 0 && p.MinCoverage <= 1, "min_coverage", "%g must be above 0 and at most 1", p.MinCoverage)
	check(p.MaxSampleAge > 0, "max_sample_age", "%s must be above 0", p.MaxSampleAge)
	p.CPU.validate("cpu.", check)
	p.Memory.validate("memory.", check)

	return errors.Join(problems...)
}

func (w Weighing) validate(prefix string, check func(ok bool, field, format string, args ...any)) {
	const mostPrice, mostHeadroom, tolerance = 1e6, 3, 1e-9

	check(w.Price > 0 && w.Price <= mostPrice, prefix+"price", "%g must be above 0 and at most %g", w.Price, float64(mostPrice))
	check(w.Headroom >= 1 && w.Headroom <= mostHeadroom, prefix+"headroom", "%g must be 1 to %d", w.Headroom, mostHeadroom)
	check(w.MinEnough >= 0 && w.MinEnough < 1, prefix+"min_enough", "%g must be 0 or more and below 1", w.MinEnough)
	check(w.GainUp >= 0 && w.GainUp <= mostPrice, prefix+"gain_up", "%g must be 0 or more", w.GainUp)
	check(w.GainDown >= 0 && w.GainDown <= mostPrice, prefix+"gain_down", "%g must be 0 or more", w.GainDown)
	check(w.GainExponent >= 0 && w.GainExponent <= 1, prefix+"gain_exponent", "%g must be 0 to 1", w.GainExponent)
	check(w.BandUp >= 0 && w.BandUp <= mostHeadroom, prefix+"band_up", "%g must be 0 to %d", w.BandUp, mostHeadroom)
	check(w.BandDown >= 0 && w.BandDown < 1, prefix+"band_down", "%g must be 0 or more and below 1", w.BandDown)
	check(w.Hold >= 0, prefix+"hold", "%s must be 0 or more", w.Hold)
	check(len(w.Decays) > 0, prefix+"decays", "is empty: there must be at least one half-life")

	total := 0.0

	for i, d := range w.Decays {
		field := fmt.Sprintf("%sdecays[%d].", prefix, i)
		check(d.HalfLife > 0, field+"half_life", "%s must be above 0", d.HalfLife)
		check(d.Share > 0 && d.Share <= 1, field+"share", "%g must be above 0 and at most 1", d.Share)

		total += d.Share
	}

	check(len(w.Decays) == 0 || total > 1-tolerance && total < 1+tolerance, prefix+"decays", "the shares add up to %g: they must to 1", total)
}

// explained lists the parameters for explanations.
func (p Params) explained() []recommender.Parameter {
	parameters := []recommender.Parameter{
		{Name: "span_seconds", Value: p.Span.Seconds()},
		{Name: "min_history_seconds", Value: p.MinHistory.Seconds()},
		{Name: "evidence_window_seconds", Value: p.EvidenceWindow.Seconds()},
		{Name: "oom_multiplier", Value: p.OOMMultiplier},
		{Name: "saturation", Value: p.Saturation},
		{Name: "saturation_multiplier", Value: p.SaturationMultiplier},
		{Name: "saturation_patience_seconds", Value: p.SaturationPatience.Seconds()},
		{Name: "min_coverage", Value: p.MinCoverage},
		{Name: "max_sample_age_seconds", Value: p.MaxSampleAge.Seconds()},
	}

	for _, w := range []struct {
		prefix string
		of     Weighing
	}{{"cpu_", p.CPU}, {"memory_", p.Memory}} {
		parameters = append(parameters,
			recommender.Parameter{Name: w.prefix + "price", Value: w.of.Price},
			recommender.Parameter{Name: w.prefix + "headroom", Value: w.of.Headroom},
			recommender.Parameter{Name: w.prefix + "min_enough", Value: w.of.MinEnough},
			recommender.Parameter{Name: w.prefix + "gain_up", Value: w.of.GainUp},
			recommender.Parameter{Name: w.prefix + "gain_down", Value: w.of.GainDown},
			recommender.Parameter{Name: w.prefix + "gain_exponent", Value: w.of.GainExponent},
			recommender.Parameter{Name: w.prefix + "band_up", Value: w.of.BandUp},
			recommender.Parameter{Name: w.prefix + "band_down", Value: w.of.BandDown},
			recommender.Parameter{Name: w.prefix + "hold_seconds", Value: w.of.Hold.Seconds()},
		)

		for i, d := range w.of.Decays {
			parameters = append(parameters,
				recommender.Parameter{Name: fmt.Sprintf("%shalf_life_%d_seconds", w.prefix, i+1), Value: d.HalfLife.Seconds()},
				recommender.Parameter{Name: fmt.Sprintf("%sshare_%d", w.prefix, i+1), Value: d.Share},
			)
		}
	}

	return parameters
}
