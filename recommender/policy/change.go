package policy

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// Floor remembers peaks for longer than a recommender looks back: the size does not fall below them.
type Floor struct {
	// Window is how far back the peaks lie, a multiple of 10 minutes; 0 for no floor.
	Window time.Duration
	// CPUUtilisation is the share of the CPU that the peak may take, above 0 and at most 1.
	CPUUtilisation float64
	// MemoryMultiplier is the headroom above the memory peak, 1 or more.
	MemoryMultiplier float64
}

// StepLimit bounds one change. A change may be as large as the larger of its two parts; the zero value is no limit.
type StepLimit struct {
	// Share is the part of the allocation, above 0: 0.5 allows half as much again, or half as much less.
	Share float64
	// Size is the amount; a resource of 0 has none of its own.
	Size size.Size
}

// IsZero reports that there is no limit.
func (l StepLimit) IsZero() bool { return l == StepLimit{} }

// DisruptionClass says what a change may do to a service. An agent must not do more.
type DisruptionClass string

// The classes, from the mildest.
const (
	// DisruptionNone allows changes in place only; one that needs a restart is not made.
	DisruptionNone DisruptionClass = "none"
	// DisruptionRolling allows to restart or replace one replica after the other, as long as others serve.
	DisruptionRolling DisruptionClass = "rolling"
	// DisruptionRestart allows to restart a service that has one replica only.
	DisruptionRestart DisruptionClass = "restart"
)

// DisruptionClasses returns every class.
func DisruptionClasses() []DisruptionClass {
	return []DisruptionClass{DisruptionNone, DisruptionRolling, DisruptionRestart}
}

// OrDefault returns the class that an empty one stands for, and every other one as it is.
func (c DisruptionClass) OrDefault() DisruptionClass {
	if c == "" {
		return DisruptionRolling
	}

	return c
}

// Disruption says when a change is worth disturbing a service.
type Disruption struct {
	// Class says what a change may do; empty means DisruptionRolling.
	Class DisruptionClass
	// MinReplicas is how many replicas a service must have before its CPU or memory is changed; 0 for any number. A
	// service whose number of replicas is not known is not held back.
	MinReplicas int32
	// MinUp and MinDown are the smallest changes worth making, as shares of the allocation. A change is made when any
	// resource changes by that much.
	MinUp, MinDown float64
	// ScaleDown are the hours in which sizes may fall; none means always.
	ScaleDown []TimeWindow
}

// TimeWindow is a stretch of the day on some days of the week.
type TimeWindow struct {
	// Days are the days on which the window begins; none means every day.
	Days []time.Weekday
	// From and To are times of the day, counted from midnight, From included and To not. A window whose To is not after
	// its From ends on the next day.
	From, To time.Duration
	// Location is the time zone; nil means UTC.
	Location *time.Location
}

// CoolDown is how long a size stays after it changed.
type CoolDown struct {
	// Up is how long after the last rise it may not rise again, and Down how long after any change it may not fall.
	Up, Down time.Duration
}

// Permission is what may be done with a change in one direction.
type Permission struct {
	// Up and Down are ModeEnforce, ModeObserveOnly or ModeOff; empty means what the policy's Mode says.
	Up, Down Mode
}

// Permissions are the exceptions from the policy's Mode.
type Permissions struct {
	CPU, Memory, Replicas Permission
}
