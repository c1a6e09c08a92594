package policy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// minMemoryPerCoreBytes keeps the ratio in a range where a millicore is worth many bytes; anything lower is a wrong unit.
const minMemoryPerCoreBytes = 1 << 20

// FieldError is one thing that is wrong with a policy.
type FieldError struct {
	// Field is where, "max.memory_bytes".
	Field string
	// Description is what, and what would be right.
	Description string
}

// Error returns the field and what is wrong with it.
func (p *FieldError) Error() string {
	return p.Field + ": " + p.Description
}

// problems collects what is wrong.
type problems []error

func (ps *problems) addf(field, format string, args ...any) {
	*ps = append(*ps, &FieldError{Field: field, Description: fmt.Sprintf(format, args...)})
}

// Validate returns every problem of the policy at once, joined; each is a *FieldError. A valid policy has at least one
// legal size.
func (p *Policy) Validate() error {
	var found problems

	if p.Name == "" {
		found.addf("name", "must not be empty")
	}

	if !slices.Contains(Modes(), p.Mode.OrDefault()) {
		found.addf("mode", "%q is not a mode: use one of %q", p.Mode, Modes())
	}

	p.checkBounds(&found)
	p.checkRatio(&found)
	p.checkCatalogue(&found)
	p.checkSteps(&found)

	// What follows from the parts can only be judged once the parts are right.
	if len(found) == 0 {
		p.checkLegalSizeExists(&found)
	}

	return errors.Join(found...)
}

func (p *Policy) checkBounds(found *problems) {
	fields := map[size.Resource]string{size.CPU: "cpu_millis", size.Memory: "memory_bytes"}

	for _, resource := range size.Both() {
		low, high, most := p.Min.Get(resource), p.Max.Get(resource), unlimited().Get(resource)

		if low < 0 || low > most {
			found.addf("min."+fields[resource], "%d must be between 0 and %d", low, most)
		}

		if high < 0 || high > most {
			found.addf("max."+fields[resource], "%d must be between 0 (no bound) and %d", high, most)
		}

		if high > 0 && low > high {
			found.addf("min."+fields[resource], "%s is above the maximum %s", resource.Format(low), resource.Format(high))
		}
	}
}

func (p *Policy) checkRatio(found *problems) {
	ratio := p.MemoryPerCoreBytes

	if ratio != 0 && (ratio < minMemoryPerCoreBytes || ratio > size.MaxMemoryBytes) {
		found.addf("memory_per_core_bytes", "%d must be 0 (no ratio) or between %s and %s",
			ratio, size.FormatMemory(minMemoryPerCoreBytes), size.FormatMemory(size.MaxMemoryBytes))
	}
}

func (p *Policy) checkCatalogue(found *problems) {
	for i, entry := range p.Catalogue {
		field := fmt.Sprintf("catalogue[%d]", i)

		if !entry.Known() {
			found.addf(field, "%s must have CPU and memory above 0 and within reason", entry)

			continue
		}

		if i > 0 && !before(p.Catalogue[i-1], entry) {
			found.addf(field, "%s must come after %s: sort by CPU, then memory, without repeats", entry, p.Catalogue[i-1])
		}

		if p.Couple(entry) != entry {
			found.addf(field, "%s is off the ratio of %s per core: drop the entry or the ratio",
				entry, size.FormatMemory(p.MemoryPerCoreBytes))
		}
	}
}

func before(a, b size.Resources) bool {
	return a.CPUMillis < b.CPUMillis || a.CPUMillis == b.CPUMillis && a.MemoryBytes < b.MemoryBytes
}

func (p *Policy) checkSteps(found *problems) {
	cpu, memory := p.StepCPUMillis, p.StepMemoryBytes

	if cpu < 0 || cpu > size.MaxCPUMillis {
		found.addf("step_cpu_millis", "%d must be between 0 (no step) and %d", cpu, size.MaxCPUMillis)
	}

	if memory < 0 || memory > size.MaxMemoryBytes {
		found.addf("step_memory_bytes", "%d must be between 0 (no step) and %d", memory, size.MaxMemoryBytes)
	}

	if len(p.Catalogue) > 0 && (cpu != 0 || memory != 0) {
		found.addf("catalogue", "excludes step_cpu_millis and step_memory_bytes: keep one of the two")
	}

	// A step off the ratio would leave it with every rounding. Compared crosswise, so that nothing is rounded away.
	if p.MemoryPerCoreBytes > 0 && cpu >= 0 && memory >= 0 && len(*found) == 0 {
		p.checkStepsOnRatio(found)
	}
}

func (p *Policy) checkStepsOnRatio(found *problems) {
	if p.StepCPUMillis == 0 && p.StepMemoryBytes == 0 {
		return
	}

	steps := p.steps()
	product, remainder := mulDivRemainder(steps.CPUMillis, p.MemoryPerCoreBytes, millisPerCore)

	if steps.CPUMillis == 0 || remainder != 0 || p.StepMemoryBytes != 0 && p.StepMemoryBytes != product {
		found.addf("step_memory_bytes", "the steps %s CPU and %s are off the ratio of %s per core: "+
			"a step must be a whole number of millicores and of bytes on the ratio",
			size.FormatCPU(p.StepCPUMillis), size.FormatMemory(p.StepMemoryBytes), size.FormatMemory(p.MemoryPerCoreBytes))
	}
}

func (p *Policy) checkLegalSizeExists(found *problems) {
	if !p.Eligible() {
		found.addf("catalogue", "no entry lies between the minimum %s and the maximum %s", p.Min, p.ceiling())

		return
	}

	if len(p.Catalogue) > 0 {
		return
	}

	if low, _ := p.limits(); !p.ceiling().Covers(low) {
		found.addf("max", "%s is below the smallest legal size %s", p.ceiling(), low)
	}
}
