package recommender

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// State is what a service's evaluations remember from one to the next. Its zero value remembers nothing. It may be kept as
// JSON, whose names outlive the program that wrote them.
type State struct {
	// Trend is what the two-window rule sees a trend from.
	Trend Trend `json:"trend,omitzero"`
	// Scaling is when the service was last seen to change its size.
	Scaling Scaling `json:"scaling,omitzero"`
	// Classes are the variation classes of the memory that were last reported, per window, shortest first.
	Classes [2]MemoryClass `json:"classes,omitzero"`
	// Saturated is when the CPU use was at the allocation; the zero value when it is not.
	Saturated Stretch `json:"saturated,omitzero"`
	// Advice is the latest good answer of an outside recommender.
	Advice Advice `json:"advice,omitzero"`
}

// Trend is the need of the small window at the two latest periodic slots. Needs are before rounding; a resource that is
// 0 was not known.
type Trend struct {
	// Time is the latest periodic slot; the zero time when there is none.
	Time time.Time `json:"time,omitzero"`
	// Small is the need at Time.
	Small size.Resources `json:"small,omitzero"`
	// PrevTime is the slot before; the zero time when there is none.
	PrevTime time.Time `json:"prevTime,omitzero"`
	// PrevSmall is the need at PrevTime.
	PrevSmall size.Resources `json:"prevSmall,omitzero"`
}

// Scaling is when a service was last seen to change its size. Both directions have their own time, so that growing does
// not put off shrinking and the other way round.
type Scaling struct {
	// Allocation is the size at the latest evaluation that knew it.
	Allocation size.Size `json:"allocation,omitzero"`
	// UpTime and DownTime are when any resource was last seen to have risen or fallen; the zero time for never.
	UpTime   time.Time `json:"upTime,omitzero"`
	DownTime time.Time `json:"downTime,omitzero"`
	// CPUUpTime and MemoryUpTime are when that resource was last seen to have risen; the zero time for never.
	CPUUpTime    time.Time `json:"cpuUpTime,omitzero"`
	MemoryUpTime time.Time `json:"memoryUpTime,omitzero"`
}

// Stretch is a time in which something was seen at every evaluation.
type Stretch struct {
	// Since is the first evaluation that saw it, and Seen the latest.
	Since time.Time `json:"since,omitzero"`
	Seen  time.Time `json:"seen,omitzero"`
}

// Advice is an answer of an outside recommender.
type Advice struct {
	// Size is what it asks for; a resource of 0 says nothing about it.
	Size size.Size `json:"size,omitzero"`
	// Time is when the answer was received; the zero time when there is none.
	Time time.Time `json:"time,omitzero"`
}
