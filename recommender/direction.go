package recommender

import "github.com/tidemark-project/tidemark/recommender/size"

// Direction says which way a size goes.
type Direction uint8

// The directions.
const (
	DirectionUp Direction = iota + 1
	DirectionDown
	DirectionNone
)

// Compare returns the direction from one amount of a resource to another.
func Compare(from, to int64) Direction {
	switch {
	case to > from:
		return DirectionUp
	case to < from:
		return DirectionDown
	default:
		return DirectionNone
	}
}

// CompareBoth returns the direction from one size to another: up when any resource rises, down when none rises and one
// falls. Rising outweighs falling because a resource that is short hurts and one that is ample only costs.
func CompareBoth(from, to size.Resources) Direction {
	return join(Compare(from.CPUMillis, to.CPUMillis), Compare(from.MemoryBytes, to.MemoryBytes))
}

// CompareSizes is CompareBoth with the number of replicas.
func CompareSizes(from, to size.Size) Direction {
	return join(CompareBoth(from.Resources(), to.Resources()), Compare(int64(from.Replicas), int64(to.Replicas)))
}

func join(a, b Direction) Direction {
	switch {
	case a == DirectionUp || b == DirectionUp:
		return DirectionUp
	case a == DirectionDown || b == DirectionDown:
		return DirectionDown
	default:
		return DirectionNone
	}
}

// Status says how good an answer is.
type Status string

// The statuses. Where several apply, the one that comes first here is reported.
const (
	// StatusFailed says that no answer could be computed. Whoever runs the recommender reports it; Decide never does.
	StatusFailed Status = "FAILED"
	// StatusInsufficientData says that too little is known to judge.
	StatusInsufficientData Status = "INSUFFICIENT_DATA"
	// StatusLimited says that the policy leaves the recommended size below the need.
	StatusLimited Status = "LIMITED"
	// StatusHold says that nothing changes, although the need differs: a rule held the size.
	StatusHold Status = "HOLD"
	// StatusOK says that the recommended size is what the need asks for, be it a change or none.
	StatusOK Status = "OK"
)
