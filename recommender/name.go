package recommender

// The names of what decisions and explanations are made of. A value takes one byte, so that an account of a decision is
// small and holds nothing for the garbage collector to follow.
var (
	directionNames = [...]string{
		DirectionUp:   "UP",
		DirectionDown: "DOWN",
		DirectionNone: "NONE",
	}
	bandPositionNames = [...]string{
		BandUnknown: "UNKNOWN",
		BandBelow:   "BELOW",
		BandWithin:  "WITHIN",
		BandAbove:   "ABOVE",
	}
	memoryClassNames = [...]string{
		MemoryStable: "STABLE",
		MemorySpiky:  "SPIKY",
	}
	memoryTermNames = [...]string{
		MemoryTermAllocation: "ALLOCATION",
		MemoryTermQuery:      "QUERY",
		MemoryTermResident:   "RESIDENT",
		MemoryTermRejection:  "REJECTION",
		MemoryTermOOMKill:    "OOM_KILL",
		MemoryTermBand:       "BAND",
	}
	mergeScopeNames = [...]string{
		ScopeJoint:  "JOINT",
		ScopeCPU:    "CPU",
		ScopeMemory: "MEMORY",
	}
	pickNames = [...]string{
		PickSmall:  "SMALL",
		PickLarge:  "LARGE",
		PickLarger: "LARGER",
		PickHold:   "HOLD",
	}
)

// String returns the name in upper case; empty for what is no direction.
func (d Direction) String() string { return nameOf(directionNames[:], d) }

// String returns the name in upper case; empty for what is no position.
func (b BandPosition) String() string { return nameOf(bandPositionNames[:], b) }

// String returns the name in upper case; empty for what is no class.
func (m MemoryClass) String() string { return nameOf(memoryClassNames[:], m) }

// String returns the name in upper case; empty for what is no term.
func (m MemoryTerm) String() string { return nameOf(memoryTermNames[:], m) }

// String returns the name in upper case; empty for what is no scope.
func (m MergeScope) String() string { return nameOf(mergeScopeNames[:], m) }

// String returns the name in upper case; empty for what is no outcome.
func (p Pick) String() string { return nameOf(pickNames[:], p) }

// nameOf looks a name up; what is not in the list has none.
func nameOf[T ~uint8](names []string, value T) string {
	if int(value) >= len(names) {
		return ""
	}

	return names[value]
}
