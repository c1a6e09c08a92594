package policy

import "github.com/tidemark-project/tidemark/recommender/size"

// steps returns both increments; 0 for a resource that has none. With a ratio one increment implies the other. A
// catalogue excludes steps.
func (p *Policy) steps() size.Resources {
	if len(p.Catalogue) > 0 {
		return size.Resources{}
	}

	steps := size.Resources{CPUMillis: p.StepCPUMillis, MemoryBytes: p.StepMemoryBytes}
	if p.MemoryPerCoreBytes <= 0 || steps.IsZero() {
		return steps
	}

	if steps.CPUMillis <= 0 {
		steps.CPUMillis = mulDiv(steps.MemoryBytes, millisPerCore, p.MemoryPerCoreBytes)
	}

	return p.pairOf(steps.CPUMillis)
}

// stepUp rounds both resources up to a multiple of their step. With a ratio a whole number of steps is a whole number of
// both, so a pair on the ratio stays on it.
func (p *Policy) stepUp(value size.Resources) size.Resources {
	steps := p.steps()

	for _, resource := range size.Both() {
		if step := steps.Get(resource); step > 0 {
			value = value.Set(resource, (value.Get(resource)+step-1)/step*step)
		}
	}

	return value
}

// stepDown rounds both resources down to a multiple of their step.
func (p *Policy) stepDown(value size.Resources) size.Resources {
	steps := p.steps()

	for _, resource := range size.Both() {
		if step := steps.Get(resource); step > 0 {
			value = value.Set(resource, value.Get(resource)/step*step)
		}
	}

	return value
}
