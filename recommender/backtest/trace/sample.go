package trace

import "time"

// Sample is what one service used on average over one interval.
type Sample struct {
	// UnixSeconds is when, in seconds since 1970, UTC.
	UnixSeconds int64
	// CPUCores is the CPU in use, in cores; 0 unless CPUKnown.
	CPUCores float64
	// MemoryBytes is the memory in use; 0 unless MemoryKnown.
	MemoryBytes int64
	// CPUKnown and MemoryKnown report that the recording has the value.
	CPUKnown, MemoryKnown bool
}

// Time returns when the sample was taken.
func (s *Sample) Time() time.Time {
	return time.Unix(s.UnixSeconds, 0).UTC()
}
