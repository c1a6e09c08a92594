package size

// Resource names one of the resources of a Size.
type Resource uint8

// The resources. CPU and memory are what a vertical change moves, the number of replicas what a horizontal one does.
const (
	CPU Resource = iota + 1
	Memory
	Replicas
)

// String returns the name in upper case; empty for what is no resource.
func (r Resource) String() string {
	switch r {
	case CPU:
		return "CPU"
	case Memory:
		return "MEMORY"
	case Replicas:
		return "REPLICAS"
	default:
		return ""
	}
}

// The largest values taken seriously. They are far above any machine there is and low enough that a product of two of
// them with a small factor does not overflow, so a value beyond them is a mistake of whoever sent it.
const (
	// MaxCPUMillis is one million cores, in thousandths of a core.
	MaxCPUMillis int64 = 1_000_000_000
	// MaxMemoryBytes is one pebibyte.
	MaxMemoryBytes int64 = 1 << 50
	// MaxReplicas is one million.
	MaxReplicas int32 = 1_000_000
)

// Both returns the resources of one replica in the order in which they are always listed.
func Both() [2]Resource {
	return [2]Resource{CPU, Memory}
}

// Get returns the amount of one resource: millicores or bytes.
func (r Resources) Get(resource Resource) int64 {
	if resource == CPU {
		return r.CPUMillis
	}

	return r.MemoryBytes
}

// Set returns r with the amount of one resource replaced: millicores or bytes.
func (r Resources) Set(resource Resource, amount int64) Resources {
	if resource == CPU {
		r.CPUMillis = amount
	} else {
		r.MemoryBytes = amount
	}

	return r
}

// Min returns the smaller of both, resource by resource.
func (r Resources) Min(other Resources) Resources {
	return Resources{
		CPUMillis:   min(r.CPUMillis, other.CPUMillis),
		MemoryBytes: min(r.MemoryBytes, other.MemoryBytes),
	}
}

// Covers reports that r has at least as much of both resources as other.
func (r Resources) Covers(other Resources) bool {
	return r.CPUMillis >= other.CPUMillis && r.MemoryBytes >= other.MemoryBytes
}

// Known reports that both resources have a plausible amount: above zero and not beyond the limits of this package.
func (r Resources) Known() bool {
	return r.CPUMillis > 0 && r.CPUMillis <= MaxCPUMillis && r.MemoryBytes > 0 && r.MemoryBytes <= MaxMemoryBytes
}
