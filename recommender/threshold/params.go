package threshold

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Axis says what a change moves.
type Axis string

// The axes.
const (
	// AxisReplicas adds and removes replicas and leaves their size alone.
	AxisReplicas Axis = "replicas"
	// AxisSize makes the replicas larger and smaller and leaves their number alone.
	AxisSize Axis = "size"
)

// Axes returns every axis.
func Axes() []Axis { return []Axis{AxisReplicas, AxisSize} }

// Rule says when one resource asks for a change. Its thresholds are shares of the whole allocation, of all replicas
// together.
type Rule struct {
	// Max is the utilisation above which the service grows; 0 for none.
	Max float64
	// Min is the utilisation below which the service may shrink; 0 for none.
	Min float64
	// SustainedFor is how long utilisation must have been above Max or below Min, a multiple of 10 minutes; 0 means the
	// newest 10 minutes.
	SustainedFor time.Duration
}

// set reports that the rule says anything.
func (r Rule) set() bool { return r.Max != 0 || r.Min != 0 }

// window is the look-back window of the rule.
func (r Rule) window() time.Duration { return max(r.SustainedFor, bucket) }

// Template is what replicas can be made from.
type Template struct {
	// Name identifies the template.
	Name string
	// Resources is what each replica has.
	Resources size.Resources
	// StorageBytes is the storage of each replica; 0 for none.
	StorageBytes int64
	// Count is the most replicas that may be made from the template; 0 for any number.
	Count int32
}

// Params are the constants of the rules.
type Params struct {
	// CPU and Memory are the rules.
	CPU, Memory Rule
	// Templates are what replicas can be made from. Without any, the service's present size is the only one, without a
	// limit to its number.
	Templates []Template
	// Axis says what a change moves.
	Axis Axis
	// Step is how many replicas one change adds or removes, on AxisReplicas.
	Step int32
	// SizeStep is how much one change adds or removes, as a share of the allocation, on AxisSize.
	SizeStep float64
	// ScaleOutInterval is how long after the last growth the service may grow again.
	ScaleOutInterval time.Duration
	// ScaleInInterval is how long after the last change of either direction the service may shrink.
	ScaleInInterval time.Duration
	// MaxSampleAge is how old the newest sample may be before nothing is lowered any more.
	MaxSampleAge time.Duration
	// MinCoverage is the share of a rule's window that must hold samples before anything is lowered.
	MinCoverage float64
}

// Defaults returns the constants of the TiDB operator where it has any, and the thresholds of its examples.
func Defaults() Params {
	return Params{
		CPU:              Rule{Max: 0.8, Min: 0.2},
		Axis:             AxisReplicas,
		Step:             1,
		SizeStep:         0.25,
		ScaleOutInterval: 300 * time.Second,
		ScaleInInterval:  500 * time.Second,
		MaxSampleAge:     15 * time.Minute,
		MinCoverage:      0.8,
	}
}

// explained lists the parameters for explanations.
func (p Params) explained() []recommender.Parameter {
	return []recommender.Parameter{
		{Name: "cpu_max_share", Value: p.CPU.Max},
		{Name: "cpu_min_share", Value: p.CPU.Min},
		{Name: "cpu_sustained_for_seconds", Value: p.CPU.SustainedFor.Seconds()},
		{Name: "memory_max_share", Value: p.Memory.Max},
		{Name: "memory_min_share", Value: p.Memory.Min},
		{Name: "memory_sustained_for_seconds", Value: p.Memory.SustainedFor.Seconds()},
		{Name: "step_replicas", Value: float64(p.Step)},
		{Name: "size_step_share", Value: p.SizeStep},
		{Name: "scale_out_interval_seconds", Value: p.ScaleOutInterval.Seconds()},
		{Name: "scale_in_interval_seconds", Value: p.ScaleInInterval.Seconds()},
		{Name: "max_sample_age_seconds", Value: p.MaxSampleAge.Seconds()},
		{Name: "min_coverage", Value: p.MinCoverage},
	}
}
