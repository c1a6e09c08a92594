package recommender

import (
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Explanation is everything that went into a decision: enough to recompute the answer by hand.
type Explanation struct {
	// Recommender is the name of the recommender that proposed the need.
	Recommender string
	// Parameters are the numbers the recommender was set up with. The slice is shared; do not change it.
	Parameters []Parameter
	// Data says how far the usage could be trusted.
	Data DataExplanation
	// Facts are the numbers in between, in the order in which they were computed, of a recommender that has no windows.
	Facts []Parameter
	// Windows holds one entry per look-back window, shortest first.
	Windows []WindowExplanation
	// Merges says how the windows became one need: one entry for both resources when the policy couples them, else one
	// entry for each.
	Merges []MergeExplanation
	// Adjustments holds every step between the need and the recommended size that changed something, in order.
	Adjustments []policy.Adjustment
}

// Parameter is one number with a name. Its unit is part of the name ("small_window_seconds").
type Parameter struct {
	Name  string
	Value float64
}

// DataExplanation says how far the usage could be trusted.
type DataExplanation struct {
	// NewestSampleTime is the time of the newest sample; the zero time when there is none.
	NewestSampleTime time.Time
	// ReadTime is the usage store's clock when it was asked.
	ReadTime time.Time
	// CPUMayFall reports that the data suffices to lower CPU.
	CPUMayFall bool
	// MemoryMayFall reports that the data suffices to lower memory.
	MemoryMayFall bool
	// ReplicasMayFall reports that the data suffices to lower the number of replicas.
	ReplicasMayFall bool
}

// WindowExplanation is one look-back window: what was seen, what it needs and how that compares with the allocation.
type WindowExplanation struct {
	// Name tells the windows apart, "small" or "large".
	Name string
	// Usage is the input as it was read, implausible values included.
	Usage usage.Window
	// Empty reports that the window holds nothing usable; its need is then the allocation and its verdict no change.
	Empty bool
	// CPU says how the need for CPU came about.
	CPU CPUExplanation
	// Memory says how the need for memory came about.
	Memory MemoryExplanation
	// Need is what the window asks for before the policy.
	Need size.Resources
	// Fitted is Need after the policy's ratio, catalogue or step, and bounds.
	Fitted size.Resources
	// CPUVerdict compares the CPU of Fitted with the allocation.
	CPUVerdict Direction
	// MemoryVerdict compares the memory of Fitted with the allocation.
	MemoryVerdict Direction
	// Verdict compares both: up when either rises, down when none rises and one falls.
	Verdict Direction
}

// CPUExplanation is one window's need for CPU, in thousandths of a core.
type CPUExplanation struct {
	// Position says where the peak lies relative to the band around the allocation.
	Position BandPosition
	// BandLowMillis and BandHighMillis are the edges of the band; a peak on an edge is within.
	BandLowMillis, BandHighMillis float64
	// TargetMillis is peak / target utilisation, rounded up; 0 when the peak is unknown. It is what the hunting check
	// compares, because unlike the need it does not depend on the allocation.
	TargetMillis int64
	// NeedMillis is the allocation within the band or without a peak, else TargetMillis.
	NeedMillis int64
}

// BandPosition says where a peak lies relative to a band.
type BandPosition uint8

// The positions. The band includes its edges.
const (
	BandUnknown BandPosition = iota + 1
	BandBelow
	BandWithin
	BandAbove
)

// MemoryExplanation is one window's need for memory, in bytes: the largest of four terms.
type MemoryExplanation struct {
	// Class is how much the resident memory varies.
	Class MemoryClass
	// VariationRatio is peak / median of the resident memory; 0 when either is unknown.
	VariationRatio float64
	// Multiplier is the headroom that the class gets.
	Multiplier float64
	// QueryTermBytes is the query memory peak times Multiplier.
	QueryTermBytes int64
	// ResidentTermBytes is the resident memory peak times Multiplier.
	ResidentTermBytes int64
	// RejectionMultiplier and OOMKillMultiplier are the OOM multiplier after the decay of the evidence; 0 without evidence.
	RejectionMultiplier, OOMKillMultiplier float64
	// RejectionTermBytes is the resident memory at the rejections times RejectionMultiplier; 0 when nothing was rejected.
	RejectionTermBytes int64
	// OOMKillTermBytes is the resident memory at the kill times OOMKillMultiplier; 0 when nothing was killed.
	OOMKillTermBytes int64
	// Term is the term that decided.
	Term MemoryTerm
	// TargetBytes is the largest term; at least the allocation when the resident memory is unknown. It is what the hunting
	// check compares.
	TargetBytes int64
	// NeedBytes is the allocation when the target is within the band around it, else the target.
	NeedBytes int64
}

// MemoryClass is how much memory use varies.
type MemoryClass uint8

// The classes.
const (
	MemoryStable MemoryClass = iota + 1
	MemorySpiky
)

// MarshalText writes the name, for what is kept longer than the program that wrote it.
func (m MemoryClass) MarshalText() ([]byte, error) {
	return []byte(m.String()), nil
}

// UnmarshalText reads the name. One that is not known is no class, as if nothing had been kept.
func (m *MemoryClass) UnmarshalText(text []byte) error {
	*m = MemoryClass(max(slices.Index(memoryClassNames[:], string(text)), 0)) //nolint:gosec // there are but a few

	return nil
}

// MemoryTerm names the term that decided a need for memory.
type MemoryTerm uint8

// The terms. MemoryTermAllocation means that too little is known to go below the allocation, MemoryTermBand that the
// largest term is so close to the allocation that it is kept.
const (
	MemoryTermAllocation MemoryTerm = iota + 1
	MemoryTermQuery
	MemoryTermResident
	MemoryTermRejection
	MemoryTermOOMKill
	MemoryTermBand
)

// MergeExplanation says which window was trusted for one resource or for both.
type MergeExplanation struct {
	// Scope says which resources the merge decided.
	Scope MergeScope
	// Large and Small are the verdicts that select the cell of the merge table.
	Large, Small Direction
	// Picked is the window whose need was taken.
	Picked Pick
	// Impossible reports that the small window asks for more than the large one that contains it.
	Impossible bool
	// Hunting is the trend check; the zero value when the cell does not ask for it.
	Hunting HuntingExplanation
}

// MergeScope says which resources a merge decided.
type MergeScope uint8

// The scopes.
const (
	ScopeJoint MergeScope = iota + 1
	ScopeCPU
	ScopeMemory
)

// Pick is the outcome of a merge.
type Pick uint8

// The outcomes. PickLarger takes the larger need of both windows, resource by resource.
const (
	PickSmall Pick = iota + 1
	PickLarge
	PickLarger
	PickHold
)

// HuntingExplanation is the check that keeps a growing service from being shrunk between two peaks: the short-term need
// is trending up when it is greater than it was at an earlier periodic evaluation.
type HuntingExplanation struct {
	// Consulted reports that the merge depended on the check, and Trending its outcome.
	Consulted, Trending bool
	// PreviousTime is when PreviousSmall was recorded; the zero time when there is no previous value.
	PreviousTime time.Time
	// PreviousSmall and CurrentSmall are the compared needs of the small window before rounding, with the ratio applied
	// if there is one. A resource that is 0 was not compared.
	PreviousSmall, CurrentSmall size.Resources
}
