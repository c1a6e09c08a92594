package recommender

import "slices"

// Reason is a machine-readable cause of a decision. Reasons are stable: clients match on them, so a name is never
// reused for something else. The API shows each as the enum value REASON_<name>.
type Reason string

// The reasons about the need for CPU. They speak of the window that decided.
const (
	// ReasonCPUAboveBand says that the CPU peak is above the upper threshold of the allocation.
	ReasonCPUAboveBand Reason = "CPU_ABOVE_BAND"
	// ReasonCPUBelowBand says that the CPU peak is below the lower threshold of the allocation.
	ReasonCPUBelowBand Reason = "CPU_BELOW_BAND"
	// ReasonCPUWithinBand says that the CPU peak is between the thresholds, so the CPU allocation is kept.
	ReasonCPUWithinBand Reason = "CPU_WITHIN_BAND"
	// ReasonCPUUnknown says that no usable CPU peak was seen, so CPU is not lowered.
	ReasonCPUUnknown Reason = "CPU_UNKNOWN"
)

// The reasons about the need for memory. They speak of the window that decided.
const (
	// ReasonMemoryPeak says that a memory peak and its headroom decided the need for memory.
	ReasonMemoryPeak Reason = "MEMORY_PEAK"
	// ReasonMemoryRejected says that refused requests raised the need for memory above the peak and its headroom.
	ReasonMemoryRejected Reason = "MEMORY_REJECTED"
	// ReasonOOMKilled says that a kill for lack of memory raised the need for memory above the peak and its headroom.
	ReasonOOMKilled Reason = "OOM_KILLED"
	// ReasonMemoryUnknown says that no usable resident memory peak was seen, so memory is not lowered.
	ReasonMemoryUnknown Reason = "MEMORY_UNKNOWN"
)

// The reasons about how several windows were merged into one need.
const (
	// ReasonTrendingUp says that the short-term need is growing, so the long-term one was trusted.
	ReasonTrendingUp Reason = "TRENDING_UP"
	// ReasonNotTrending says that the short-term need is flat or falling, so it was trusted.
	ReasonNotTrending Reason = "NOT_TRENDING"
	// ReasonNoPreviousSlot says that there is no earlier periodic evaluation to see a trend from, so the size is held.
	ReasonNoPreviousSlot Reason = "NO_PREVIOUS_SLOT"
	// ReasonUpNotConfirmed says that the long window asks for more and recent load is stable, so the size is kept.
	ReasonUpNotConfirmed Reason = "UP_NOT_CONFIRMED"
	// ReasonImpossibleCell says that the small window asks for more than the large window that contains it, so the
	// larger need was taken.
	ReasonImpossibleCell Reason = "IMPOSSIBLE_CELL"
)

// The reasons about the data a decision had to work with.
const (
	// ReasonNoAllocation says that the present size is not known, so there is nothing to compare with.
	ReasonNoAllocation Reason = "NO_ALLOCATION"
	// ReasonNoData says that a window holds no data at all.
	ReasonNoData Reason = "NO_DATA"
	// ReasonLowCoverage says that a window holds too few samples to lower anything.
	ReasonLowCoverage Reason = "LOW_COVERAGE"
	// ReasonStaleData says that the newest sample is too old, or its age unknown, to lower anything.
	ReasonStaleData Reason = "STALE_DATA"
	// ReasonImplausibleData says that negative or absurd values were seen and taken as unknown.
	ReasonImplausibleData Reason = "IMPLAUSIBLE_DATA"
	// ReasonScaleDownBlocked says that a lower size was wanted and a rule kept the present one; another reason says
	// which rule.
	ReasonScaleDownBlocked Reason = "SCALE_DOWN_BLOCKED"
)

// The reasons about what the policy did to the need.
const (
	// ReasonRatio says that CPU or memory was raised to keep the policy's CPU to memory ratio.
	ReasonRatio Reason = "RATIO"
	// ReasonRounded says that the need was rounded up to a catalogue size or a step.
	ReasonRounded Reason = "ROUNDED"
	// ReasonRaisedToMin says that the policy's minimum raised the size.
	ReasonRaisedToMin Reason = "RAISED_TO_MIN"
	// ReasonLimitedByMax says that the policy's maximum leaves the size below the need.
	ReasonLimitedByMax Reason = "LIMITED_BY_MAX"
	// ReasonLimitedByCatalogue says that no catalogue size covers the need.
	ReasonLimitedByCatalogue Reason = "LIMITED_BY_CATALOGUE"
	// ReasonNoCatalogueEntry says that no catalogue size lies within the policy's bounds, so only the bounds were applied.
	ReasonNoCatalogueEntry Reason = "NO_CATALOGUE_ENTRY"
	// ReasonModeObserveOnly says that the answer is to be looked at and not to be acted on.
	ReasonModeObserveOnly Reason = "MODE_OBSERVE_ONLY"
	// ReasonModeUpOnly says that the policy's mode kept the size from falling.
	ReasonModeUpOnly Reason = "MODE_UP_ONLY"
	// ReasonModeOff says that the policy's mode keeps the size as it is.
	ReasonModeOff Reason = "MODE_OFF"
)

// The reasons of the recommenders that do not look at two windows.
const (
	// ReasonPercentile says that a percentile of the decaying histogram and its margin decided the need.
	ReasonPercentile Reason = "PERCENTILE"
	// ReasonWithinConfidence says that the allocation lies between the confidence bounds, so it is kept.
	ReasonWithinConfidence Reason = "WITHIN_CONFIDENCE"
	// ReasonLeastCost says that the size was taken that would have cost the least, in idle capacity and in shortage.
	ReasonLeastCost Reason = "LEAST_COST"
	// ReasonNotWorthChanging says that another size would have cost less, but not by enough to change for it.
	ReasonNotWorthChanging Reason = "NOT_WORTH_CHANGING"
	// ReasonCPUSaturated says that CPU use is at the allocation, so what more would be used cannot be seen.
	ReasonCPUSaturated Reason = "CPU_SATURATED"
	// ReasonAboveThreshold says that utilisation was above the upper threshold for as long as the rule asks.
	ReasonAboveThreshold Reason = "ABOVE_THRESHOLD"
	// ReasonBelowThreshold says that utilisation was below the lower threshold for as long as the rule asks.
	ReasonBelowThreshold Reason = "BELOW_THRESHOLD"
	// ReasonWithinThresholds says that no rule asks for a change.
	ReasonWithinThresholds Reason = "WITHIN_THRESHOLDS"
	// ReasonTotalDemand says that the total demand and the target utilisation decided the number of replicas.
	ReasonTotalDemand Reason = "TOTAL_DEMAND"
	// ReasonScaleDownDeferred says that fewer replicas would do now and more were needed not long ago.
	ReasonScaleDownDeferred Reason = "SCALE_DOWN_DEFERRED"
	// ReasonCheapestPair says that size and number of replicas were chosen together, as the cheapest that suffice.
	ReasonCheapestPair Reason = "CHEAPEST_PAIR"
	// ReasonNoReplicas says that the number of replicas is not known or not controlled, so it is left alone.
	ReasonNoReplicas Reason = "NO_REPLICAS"
	// ReasonExternal says that an outside recommender decided the need.
	ReasonExternal Reason = "EXTERNAL"
	// ReasonExternalStale says that the outside recommender did not answer and its last good answer was kept.
	ReasonExternalStale Reason = "EXTERNAL_STALE"
	// ReasonExternalUnavailable says that there is no answer of the outside recommender that is fresh enough.
	ReasonExternalUnavailable Reason = "EXTERNAL_UNAVAILABLE"
	// ReasonMemoryWithinBand says that the need for memory is so close to the allocation that it is kept.
	ReasonMemoryWithinBand Reason = "MEMORY_WITHIN_BAND"
)

// The reasons about when and how far a size may change.
const (
	// ReasonFloor says that a peak in the floor window kept the size from falling further.
	ReasonFloor Reason = "FLOOR"
	// ReasonStepLimited says that the size moves only a part of the way, by the policy's largest step.
	ReasonStepLimited Reason = "STEP_LIMITED"
	// ReasonSmallChange says that the change is too small to be worth a disruption.
	ReasonSmallChange Reason = "SMALL_CHANGE"
	// ReasonTooFewReplicas says that the service has too few replicas to be disturbed.
	ReasonTooFewReplicas Reason = "TOO_FEW_REPLICAS"
	// ReasonOutsideWindow says that the size may fall only in certain hours, and it is not one of them.
	ReasonOutsideWindow Reason = "OUTSIDE_WINDOW"
	// ReasonCoolDown says that the size changed too recently.
	ReasonCoolDown Reason = "COOL_DOWN"
)

// Reasons returns every reason a decision can carry, in the order of their declaration.
func Reasons() []Reason {
	return []Reason{
		ReasonCPUAboveBand, ReasonCPUBelowBand, ReasonCPUWithinBand, ReasonCPUUnknown,
		ReasonMemoryPeak, ReasonMemoryRejected, ReasonOOMKilled, ReasonMemoryUnknown,
		ReasonTrendingUp, ReasonNotTrending, ReasonNoPreviousSlot, ReasonUpNotConfirmed, ReasonImpossibleCell,
		ReasonNoAllocation, ReasonNoData, ReasonLowCoverage, ReasonStaleData, ReasonImplausibleData,
		ReasonScaleDownBlocked,
		ReasonRatio, ReasonRounded, ReasonRaisedToMin, ReasonLimitedByMax, ReasonLimitedByCatalogue,
		ReasonNoCatalogueEntry, ReasonModeObserveOnly, ReasonModeUpOnly, ReasonModeOff,
		ReasonPercentile, ReasonWithinConfidence, ReasonLeastCost, ReasonNotWorthChanging, ReasonCPUSaturated,
		ReasonAboveThreshold, ReasonBelowThreshold,
		ReasonWithinThresholds, ReasonTotalDemand, ReasonScaleDownDeferred, ReasonCheapestPair,
		ReasonNoReplicas, ReasonExternal, ReasonExternalStale, ReasonExternalUnavailable,
		ReasonMemoryWithinBand, ReasonFloor, ReasonStepLimited,
		ReasonSmallChange, ReasonTooFewReplicas, ReasonOutsideWindow, ReasonCoolDown,
	}
}

// appendReason adds a reason unless it is there already; decisions carry a handful, so a scan beats a set.
func appendReason(reasons []Reason, more ...Reason) []Reason {
	for _, reason := range more {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}

	return reasons
}
