package policy

import "github.com/tidemark-project/tidemark/recommender/size"

// Stage is a step on the way from a need to a recommended size.
type Stage uint8

// The stages in the order in which they apply. Fit applies ratio, catalogue, step and bounds; the rest need to know more
// than the policy and are applied by package recommender.
const (
	// StageFloor keeps the need above the peaks of the floor window.
	StageFloor Stage = iota + 1
	// StageRatio raises one resource so that both keep the policy's ratio.
	StageRatio
	// StageCatalogue picks the catalogue entry.
	StageCatalogue
	// StageStep rounds up to a multiple of the step.
	StageStep
	// StageBounds applies the minimum and the maximum.
	StageBounds
	// StageEvidence keeps what the data does not suffice to lower.
	StageEvidence
	// StageStepLimit goes only as far as one change may.
	StageStepLimit
	// StageDisruption keeps the size when a change is not worth it or may not happen now.
	StageDisruption
	// StageCoolDown keeps a size that changed recently.
	StageCoolDown
	// StageMode applies the policy's mode.
	StageMode
)

// stageNames are the names of the stages, by stage.
var stageNames = [...]string{
	StageFloor:      "FLOOR",
	StageRatio:      "RATIO",
	StageCatalogue:  "CATALOGUE",
	StageStep:       "STEP",
	StageBounds:     "BOUNDS",
	StageEvidence:   "EVIDENCE",
	StageStepLimit:  "STEP_LIMIT",
	StageDisruption: "DISRUPTION",
	StageCoolDown:   "COOL_DOWN",
	StageMode:       "MODE",
}

// String returns the name in upper case; empty for what is no stage.
func (s Stage) String() string {
	if int(s) >= len(stageNames) {
		return ""
	}

	return stageNames[s]
}

// Adjustment is one change that a stage made to one resource.
type Adjustment struct {
	// Stage made the change.
	Stage Stage
	// Resource is what was changed.
	Resource size.Resource
	// Limited reports that After is less than the need.
	Limited bool
	// Before and After are millicores, bytes or replicas, according to Resource.
	Before, After int64
}

// chain holds the stages of Fit in their order. The catalogue and the step work without the bounds and the bounds then
// choose among the legal entries or multiples, so that the account tells apart what the catalogue and what the bounds
// did.
var chain = [...]Stage{StageRatio, StageCatalogue, StageStep, StageBounds}

// apply returns what one stage of the chain makes of the value that the stages before it made of the need. The stages
// are called by name and not through function values, which would put every policy on the heap.
func (p *Policy) apply(stage Stage, need, value size.Resources) size.Resources {
	switch stage {
	case StageRatio:
		return p.Couple(value)
	case StageCatalogue:
		return p.nearestEntry(value)
	case StageStep:
		return p.stepUp(value)
	case StageBounds:
		return p.bound(need, value)
	case StageFloor, StageEvidence, StageStepLimit, StageDisruption, StageCoolDown, StageMode:
		// Not part of a fit.
	}

	return value
}

// Fit returns the legal size for a need and every change on the way there. A legal size keeps the ratio, is a catalogue
// entry or a multiple of the steps, and lies within the bounds; when no size is all of that, the bounds win. The result
// covers the need unless an adjustment is Limited. Fit is idempotent, and monotone unless the catalogue has entries of
// which neither covers the other; then the chosen entry only never moves towards the front of the catalogue for as long
// as an entry covers the need.
func (p *Policy) Fit(need size.Resources) (size.Resources, []Adjustment) {
	var adjustments []Adjustment

	need = within(need)
	value := need

	for _, stage := range chain {
		next := p.apply(stage, need, value)
		adjustments = Record(adjustments, stage, need, value, next)
		value = next
	}

	return value, adjustments
}

// Fitted is Fit without the account, for callers that only compare.
func (p *Policy) Fitted(need size.Resources) size.Resources {
	need = within(need)
	value := need

	for _, stage := range chain {
		value = p.apply(stage, need, value)
	}

	return value
}

// Record appends an adjustment for each resource that a stage changed.
func Record(adjustments []Adjustment, stage Stage, need, before, after size.Resources) []Adjustment {
	for _, resource := range size.Both() {
		if before.Get(resource) == after.Get(resource) {
			continue
		}

		if adjustments == nil {
			adjustments = make([]Adjustment, 0, len(chain))
		}

		adjustments = append(adjustments, Adjustment{
			Stage:    stage,
			Resource: resource,
			Before:   before.Get(resource),
			After:    after.Get(resource),
			Limited:  after.Get(resource) < need.Get(resource),
		})
	}

	return adjustments
}

// within keeps a need in the range in which the arithmetic of this package is exact. There is no size of nothing.
func within(need size.Resources) size.Resources {
	return need.Max(size.Resources{CPUMillis: 1, MemoryBytes: 1}).Min(unlimited())
}

func unlimited() size.Resources {
	return size.Resources{CPUMillis: size.MaxCPUMillis, MemoryBytes: size.MaxMemoryBytes}
}
