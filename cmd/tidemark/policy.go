package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// cpuQuantity is CPU as people write it: "500m", "2".
type cpuQuantity int64

// UnmarshalText implements encoding.TextUnmarshaler for kong.
func (q *cpuQuantity) UnmarshalText(text []byte) error {
	millis, err := size.ParseCPU(string(text))
	*q = cpuQuantity(millis)

	return err
}

// memoryQuantity is memory as people write it: "512Mi", "4Gi".
type memoryQuantity int64

// UnmarshalText implements encoding.TextUnmarshaler for kong.
func (q *memoryQuantity) UnmarshalText(text []byte) error {
	bytes, err := size.ParseMemory(string(text))
	*q = memoryQuantity(bytes)

	return err
}

// sizeQuantity is CPU and memory as people write them: "2:8Gi".
type sizeQuantity size.Resources

// UnmarshalText implements encoding.TextUnmarshaler for kong.
func (q *sizeQuantity) UnmarshalText(text []byte) error {
	cpu, memory, both := strings.Cut(string(text), ":")
	if !both {
		return fmt.Errorf("%q is not a size: write CPU and memory with a colon between, such as 2:8Gi", text)
	}

	millis, err := size.ParseCPU(cpu)
	if err != nil {
		return err
	}

	bytes, err := size.ParseMemory(memory)
	if err != nil {
		return err
	}

	*q = sizeQuantity{CPUMillis: millis, MemoryBytes: bytes}

	return nil
}

// policyFlags are how all services are sized. An allocation outside of the bounds is brought back into them.
type policyFlags struct {
	PolicyName    string         `default:"default" env:"TIDEMARK_POLICY_NAME" help:"Name that recommendations show."`
	MinCPU        cpuQuantity    `name:"min-cpu" default:"250m" env:"TIDEMARK_MIN_CPU" help:"Least CPU of a replica, in cores."`
	MaxCPU        cpuQuantity    `name:"max-cpu" default:"64" env:"TIDEMARK_MAX_CPU" help:"Most CPU of a replica, in cores."`
	MinMemory     memoryQuantity `default:"512Mi" env:"TIDEMARK_MIN_MEMORY" help:"Least memory of a replica."`
	MaxMemory     memoryQuantity `default:"256Gi" env:"TIDEMARK_MAX_MEMORY" help:"Most memory of a replica."`
	StepCPU       cpuQuantity    `name:"step-cpu" default:"250m" env:"TIDEMARK_STEP_CPU" help:"CPU is a multiple of this."`
	StepMemory    memoryQuantity `default:"512Mi" env:"TIDEMARK_STEP_MEMORY" help:"Memory is a multiple of this."`
	MemoryPerCore memoryQuantity `default:"0" env:"TIDEMARK_MEMORY_PER_CORE" help:"Keep this much memory for each core, such as 4Gi; 0 lets CPU and memory move apart."`
	Catalogue     []sizeQuantity `env:"TIDEMARK_CATALOGUE" placeholder:"CPU:MEMORY" help:"The only sizes there are, such as 1:4Gi,2:8Gi; replaces the steps."`
	Mode          policy.Mode    `default:"enforce" enum:"enforce,observe-only,up-only,off" env:"TIDEMARK_MODE" help:"What may be done with recommendations: ${enum}."`
}

// policy puts the flags together.
func (f *policyFlags) policy() policy.Policy {
	p := policy.Policy{
		Name:               f.PolicyName,
		Min:                size.Resources{CPUMillis: int64(f.MinCPU), MemoryBytes: int64(f.MinMemory)},
		Max:                size.Resources{CPUMillis: int64(f.MaxCPU), MemoryBytes: int64(f.MaxMemory)},
		StepCPUMillis:      int64(f.StepCPU),
		StepMemoryBytes:    int64(f.StepMemory),
		MemoryPerCoreBytes: int64(f.MemoryPerCore),
		Mode:               f.Mode,
	}

	// With a ratio, the CPU step implies that of memory.
	if p.MemoryPerCoreBytes > 0 {
		p.StepMemoryBytes = 0
	}

	if len(f.Catalogue) > 0 {
		p.StepCPUMillis, p.StepMemoryBytes = 0, 0

		for _, entry := range f.Catalogue {
			p.Catalogue = append(p.Catalogue, size.Resources(entry))
		}

		slices.SortFunc(p.Catalogue, func(a, b size.Resources) int {
			if a.CPUMillis != b.CPUMillis {
				return int(a.CPUMillis - b.CPUMillis)
			}

			return int(a.MemoryBytes - b.MemoryBytes)
		})
	}

	p.Hash = p.ContentHash()

	return p
}
