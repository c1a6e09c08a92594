package replicas

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
	// CPUTarget and MemoryTarget are the utilisation of one replica that is aimed at; 0 leaves the resource out. Memory
	// should be left out where every replica holds all of the data: more replicas then do not make each of them need less.
	CPUTarget, MemoryTarget float64
	// UpWindow is the look-back whose peak adds replicas, a multiple of 10 minutes.
	UpWindow time.Duration
	// DownWindow is the look-back whose peak must have passed before replicas are removed, a multiple of 10 minutes and not
	// shorter than UpWindow.
	DownWindow time.Duration
	// Tolerance is how far demand may be from what the present number is made for, as a share, before the number changes.
	Tolerance float64
	// SpareReplicas is how many replicas may be down with the rest still enough.
	SpareReplicas int32
	// Joint chooses size and number together: the cheapest legal pair. Tolerance has no part in it.
	Joint bool
	// CPUCost and MemoryCost are what a core and a GiB cost, in any unit. Only Joint asks.
	CPUCost, MemoryCost float64
	// MinCoverage is the share of each window that must hold samples before anything is lowered.
	MinCoverage float64
	// MaxSampleAge is how old the newest sample may be before nothing is lowered any more.
	MaxSampleAge time.Duration
}

// Defaults returns constants that suit most services. The tolerance is that of the Kubernetes Horizontal Pod Autoscaler,
// the costs are about those of the large clouds: 8 GiB for the price of a core.
func Defaults() Params {
	return Params{
		CPUTarget:    0.75,
		MemoryTarget: 0.80,
		UpWindow:     10 * time.Minute,
		DownWindow:   3 * time.Hour,
		Tolerance:    0.1,
		CPUCost:      1,
		MemoryCost:   0.125,
		MinCoverage:  0.8,
		MaxSampleAge: 15 * time.Minute,
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
		maxWindow = 14 * 24 * time.Hour
		maxCost   = 1e9
	)

	check(p.CPUTarget >= 0 && p.CPUTarget <= 1, "cpu_target", "%g must be between 0 (leave CPU out) and 1 (100%%)", p.CPUTarget)
	check(p.MemoryTarget >= 0 && p.MemoryTarget <= 1, "memory_target",
		"%g must be between 0 (leave memory out) and 1 (100%%)", p.MemoryTarget)
	check(p.CPUTarget != 0 || p.MemoryTarget != 0, "cpu_target", "nothing is counted: set cpu_target, memory_target, or both")
	check(p.UpWindow > 0 && p.UpWindow <= maxWindow && p.UpWindow%bucket == 0, "up_window",
		"%s must be a multiple of 10 minutes, up to 14 days", p.UpWindow)
	check(p.DownWindow >= p.UpWindow && p.DownWindow <= maxWindow && p.DownWindow%bucket == 0, "down_window",
		"%s must be a multiple of 10 minutes, not below up_window, %s, and up to 14 days", p.DownWindow, p.UpWindow)
	check(p.Tolerance >= 0 && p.Tolerance < 1, "tolerance", "%g must be 0 (none) or more, and below 1 (100%%)", p.Tolerance)
	check(p.SpareReplicas >= 0 && p.SpareReplicas < size.MaxReplicas, "spare_replicas",
		"%d must be 0 (none) or more, and below %d", p.SpareReplicas, size.MaxReplicas)
	check(p.CPUCost >= 0 && p.CPUCost <= maxCost, "cpu_cost", "%g must be between 0 and %g", p.CPUCost, float64(maxCost))
	check(p.MemoryCost >= 0 && p.MemoryCost <= maxCost, "memory_cost", "%g must be between 0 and %g", p.MemoryCost, float64(maxCost))
	check(!p.Joint || p.CPUCost != 0 || p.MemoryCost != 0, "joint", "needs a cost to compare: set cpu_cost, memory_cost, or both")
	check(p.MinCoverage > 0 && p.MinCoverage <= 1, "min_coverage", "%g must be above 0 and at most 1", p.MinCoverage)
	check(p.MaxSampleAge > 0, "max_sample_age", "%s must be above 0", p.MaxSampleAge)

	return errors.Join(problems...)
}

// explained lists the parameters for explanations.
func (p Params) explained() []recommender.Parameter {
	joint := 0.0
	if p.Joint {
		joint = 1
	}

	return []recommender.Parameter{
		{Name: "cpu_target", Value: p.CPUTarget},
		{Name: "memory_target", Value: p.MemoryTarget},
		{Name: "up_window_seconds", Value: p.UpWindow.Seconds()},
		{Name: "down_window_seconds", Value: p.DownWindow.Seconds()},
		{Name: "tolerance", Value: p.Tolerance},
		{Name: "spare_replicas", Value: float64(p.SpareReplicas)},
		{Name: "joint", Value: joint},
		{Name: "cpu_cost", Value: p.CPUCost},
		{Name: "memory_cost", Value: p.MemoryCost},
		{Name: "min_coverage", Value: p.MinCoverage},
		{Name: "max_sample_age_seconds", Value: p.MaxSampleAge.Seconds()},
	}
}
