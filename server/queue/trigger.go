package queue

// Trigger is why an evaluation is wanted. It decides how soon.
type Trigger uint8

// The triggers.
const (
	// Periodic is the regular sweep.
	Periodic Trigger = iota
	// Signal is something that happened and may have changed the answer.
	Signal
	// Manual is the wish of a person or another program.
	Manual
)

// unknown is the name of what has none.
const unknown = "unknown"

// triggerCount is the number of triggers, and thereby of classes.
const triggerCount = 3

// String returns the trigger's name in lower case.
func (t Trigger) String() string {
	switch t {
	case Periodic:
		return "periodic"
	case Signal:
		return "signal"
	case Manual:
		return "manual"
	default:
		return unknown
	}
}

// valid reports whether t is one of the triggers.
func (t Trigger) valid() bool {
	return t < triggerCount
}

// Triggers returns every trigger, the most urgent by default first.
func Triggers() []Trigger {
	return []Trigger{Signal, Manual, Periodic}
}
