package policy

import "github.com/tidemark-project/tidemark/recommender/size"

func (p *Policy) checkSteps(found *problems) {
	cpu, memory := p.StepCPUMillis, p.StepMemoryBytes

	if cpu < 0 || cpu > size.MaxCPUMillis {
		found.addf("step.cpu", "%s must be between 0 (no step) and %s", size.FormatCPU(cpu), size.FormatCPU(size.MaxCPUMillis))
	}

	if memory < 0 || memory > size.MaxMemoryBytes {
		found.addf("step.memory", "%s must be between 0 (no step) and %s",
			size.FormatMemory(memory), size.FormatMemory(size.MaxMemoryBytes))
	}

	if len(p.Catalogue) > 0 && (cpu != 0 || memory != 0) {
		found.addf("catalogue", "excludes step: keep one of the two")
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
		found.addf("step", "the steps %s CPU and %s are off the ratio of %s per core: "+
			"a step must be a whole number of millicores and of bytes on the ratio",
			size.FormatCPU(p.StepCPUMillis), size.FormatMemory(p.StepMemoryBytes), size.FormatMemory(p.MemoryPerCoreBytes))
	}
}
