// Package size holds the unit of every answer: how much CPU and memory each replica of a service has, and how many
// replicas there are.
package size

// Size is what one service has or should have. CPU and memory are per replica; all replicas are alike.
type Size struct {
	// CPUMillis is CPU per replica, in thousandths of a core.
	CPUMillis int64 `json:"cpuMillis,omitempty"`
	// MemoryBytes is memory per replica, in bytes.
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
	// Replicas is the number of replicas; 0 means that it is not known or not controlled.
	Replicas int32 `json:"replicas,omitempty"`
}

// Resources is the part of a Size that a vertical change moves.
type Resources struct {
	// CPUMillis is CPU per replica, in thousandths of a core.
	CPUMillis int64 `json:"cpuMillis,omitempty"`
	// MemoryBytes is memory per replica, in bytes.
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
}

// Resources returns CPU and memory without the number of replicas.
func (s Size) Resources() Resources {
	return Resources{CPUMillis: s.CPUMillis, MemoryBytes: s.MemoryBytes}
}

// With returns s with CPU and memory replaced by r.
func (s Size) With(r Resources) Size {
	s.CPUMillis, s.MemoryBytes = r.CPUMillis, r.MemoryBytes

	return s
}

// Max returns the larger of both, resource by resource.
func (r Resources) Max(other Resources) Resources {
	return Resources{
		CPUMillis:   max(r.CPUMillis, other.CPUMillis),
		MemoryBytes: max(r.MemoryBytes, other.MemoryBytes),
	}
}

// IsZero reports that neither resource is known.
func (r Resources) IsZero() bool {
	return r == Resources{}
}
