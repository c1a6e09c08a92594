package threshold

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// maxWindow is how far back usage is kept in every case.
const maxWindow = 14 * 24 * time.Hour

// problems collects what is wrong.
type problems []error

func (ps *problems) checkf(ok bool, field, format string, args ...any) {
	if !ok {
		*ps = append(*ps, &policy.FieldError{Field: field, Description: fmt.Sprintf(format, args...)})
	}
}

// Validate returns every problem at once, joined; each is a *policy.FieldError.
func (p Params) Validate() error {
	var found problems

	found.checkf(slices.Contains(Axes(), p.Axis), "axis", "%q is not an axis: use one of %q", p.Axis, Axes())
	found.checkf(p.CPU.set() || p.Memory.set(), "cpu", "there is no rule at all: set cpu.max, memory.max, or both")
	p.CPU.validate("cpu.", &found)
	p.Memory.validate("memory.", &found)
	found.checkf(p.Step > 0 && p.Step <= size.MaxReplicas, "step", "%d must be between 1 and %d", p.Step, size.MaxReplicas)
	found.checkf(p.SizeStep > 0 && p.SizeStep < 1, "size_step", "%g must be above 0 and below 1 (100%%)", p.SizeStep)
	found.checkf(p.ScaleOutInterval >= 0, "scale_out_interval", "%s must be 0 (none) or more", p.ScaleOutInterval)
	found.checkf(p.ScaleInInterval >= 0, "scale_in_interval", "%s must be 0 (none) or more", p.ScaleInInterval)
	found.checkf(p.MaxSampleAge > 0, "max_sample_age", "%s must be above 0", p.MaxSampleAge)
	found.checkf(p.MinCoverage > 0 && p.MinCoverage <= 1, "min_coverage", "%g must be above 0 and at most 1", p.MinCoverage)
	p.validateTemplates(&found)

	return errors.Join(found...)
}

func (r Rule) validate(prefix string, found *problems) {
	found.checkf(r.Max >= 0 && r.Max <= 1, prefix+"max", "%g must be between 0 (no such rule) and 1 (100%%)", r.Max)
	found.checkf(r.Min >= 0 && r.Min <= 1, prefix+"min", "%g must be between 0 (no such rule) and 1 (100%%)", r.Min)
	found.checkf(r.Max == 0 || !(r.Min > r.Max), prefix+"min", "%g must not be above %smax, %g", r.Min, prefix, r.Max)
	found.checkf(r.SustainedFor >= 0 && r.SustainedFor <= maxWindow && r.SustainedFor%bucket == 0, prefix+"sustained_for",
		"%s must be 0 (the newest 10 minutes) or a multiple of 10 minutes up to 14 days", r.SustainedFor)
}

func (p Params) validateTemplates(found *problems) {
	found.checkf(len(p.Templates) == 0 || p.Axis != AxisSize, "templates",
		"are for axis %q: on axis %q sizes follow size_step", AxisReplicas, AxisSize)

	for i, t := range p.Templates {
		field := fmt.Sprintf("templates[%d].", i)
		found.checkf(t.Name != "", field+"name", "must not be empty")
		found.checkf(t.Resources.CPUMillis > 0 && t.Resources.CPUMillis <= size.MaxCPUMillis, field+"cpu",
			"%s must be above 0 and at most %s", size.FormatCPU(t.Resources.CPUMillis), size.FormatCPU(size.MaxCPUMillis))
		found.checkf(t.Resources.MemoryBytes > 0 && t.Resources.MemoryBytes <= size.MaxMemoryBytes, field+"memory",
			"%s must be above 0 and at most %s",
			size.FormatMemory(t.Resources.MemoryBytes), size.FormatMemory(size.MaxMemoryBytes))
		found.checkf(t.StorageBytes >= 0, field+"storage", "%s must be 0 (none) or more", size.FormatMemory(t.StorageBytes))
		found.checkf(t.Count >= 0 && t.Count <= size.MaxReplicas, field+"count",
			"%d must be between 0 (any number) and %d", t.Count, size.MaxReplicas)

		for _, earlier := range p.Templates[:i] {
			found.checkf(t.Name != earlier.Name, field+"name", "%q is there already: give each template its own name", t.Name)
			found.checkf(t.Resources != earlier.Resources, field+"cpu",
				"has the CPU and memory of template %q: a service's template is told by them", earlier.Name)
		}
	}
}
