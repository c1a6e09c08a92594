package recommender

import "slices"

// Reason is a machine-readable cause of a decision. Reasons are stable: clients match on them, so a name is never
// reused for something else. The API shows each as the enum value REASON_<name>.
type Reason uint8

// The reasons, by what they are about.
const (
	// The reasons about the need for CPU. They speak of the window that decided.

	// ReasonCPUAboveBand says that the CPU peak is above the upper threshold of the allocation.
	ReasonCPUAboveBand Reason = iota + 1
	// ReasonCPUBelowBand says that the CPU peak is below the lower threshold of the allocation.
	ReasonCPUBelowBand
	// ReasonCPUWithinBand says that the CPU peak is between the thresholds, so the CPU allocation is kept.
	ReasonCPUWithinBand
	// ReasonCPUUnknown says that no usable CPU peak was seen, so CPU is not lowered.
	ReasonCPUUnknown

	// The reasons about the need for memory. They speak of the window that decided.

	// ReasonMemoryPeak says that a memory peak and its headroom decided the need for memory.
	ReasonMemoryPeak
	// ReasonMemoryRejected says that refused requests raised the need for memory above the peak and its headroom.
	ReasonMemoryRejected
	// ReasonOOMKilled says that a kill for lack of memory raised the need for memory above the peak and its headroom.
	ReasonOOMKilled
	// ReasonMemoryUnknown says that no usable resident memory peak was seen, so memory is not lowered.
	ReasonMemoryUnknown

	// The reasons about how several windows were merged into one need.

	// ReasonTrendingUp says that the short-term need is growing, so the long-term one was trusted.
	ReasonTrendingUp
	// ReasonNotTrending says that the short-term need is flat or falling, so it was trusted.
	ReasonNotTrending
	// ReasonNoPreviousSlot says that there is no earlier periodic evaluation to see a trend from, so the size is held.
	ReasonNoPreviousSlot
	// ReasonUpNotConfirmed says that the long window asks for more and recent load is stable, so the size is kept.
	ReasonUpNotConfirmed
	// ReasonImpossibleCell says that the small window asks for more than the large window that contains it, so the
	// larger need was taken.
	ReasonImpossibleCell

	// The reasons about the data a decision had to work with.

	// ReasonNoAllocation says that the present size is not known, so there is nothing to compare with.
	ReasonNoAllocation
	// ReasonNoData says that a window holds no data at all.
	ReasonNoData
	// ReasonLowCoverage says that a window holds too few samples to lower anything.
	ReasonLowCoverage
	// ReasonStaleData says that the newest sample is too old, or its age unknown, to lower anything.
	ReasonStaleData
	// ReasonImplausibleData says that negative or absurd values were seen and taken as unknown.
	ReasonImplausibleData
	// ReasonScaleDownBlocked says that a lower size was wanted and a rule kept the present one; another reason says
	// which rule.
	ReasonScaleDownBlocked

	// The reasons about what the policy did to the need.

	// ReasonRatio says that CPU or memory was raised to keep the policy's CPU to memory ratio.
	ReasonRatio
	// ReasonRounded says that the need was rounded up to a catalogue size or a step.
	ReasonRounded
	// ReasonRaisedToMin says that the policy's minimum raised the size.
	ReasonRaisedToMin
	// ReasonLimitedByMax says that the policy's maximum leaves the size below the need.
	ReasonLimitedByMax
	// ReasonLimitedByCatalogue says that no catalogue size covers the need.
	ReasonLimitedByCatalogue
	// ReasonNoCatalogueEntry says that no catalogue size lies within the policy's bounds, so only the bounds were applied.
	ReasonNoCatalogueEntry
	// ReasonModeObserveOnly says that the answer is to be looked at and not to be acted on.
	ReasonModeObserveOnly
	// ReasonModeUpOnly says that the policy's mode kept the size from falling.
	ReasonModeUpOnly
	// ReasonModeOff says that the policy's mode keeps the size as it is.
	ReasonModeOff

	// The reasons of the recommenders that do not look at two windows.

	// ReasonPercentile says that a percentile of the decaying histogram and its margin decided the need.
	ReasonPercentile
	// ReasonWithinConfidence says that the allocation lies between the confidence bounds, so it is kept.
	ReasonWithinConfidence
	// ReasonLeastCost says that the size was taken that would have cost the least, in idle capacity and in shortage.
	ReasonLeastCost
	// ReasonNotWorthChanging says that another size would have cost less, but not by enough to change for it.
	ReasonNotWorthChanging
	// ReasonCPUSaturated says that CPU use is at the allocation, so what more would be used cannot be seen.
	ReasonCPUSaturated
	// ReasonAboveThreshold says that utilisation was above the upper threshold for as long as the rule asks.
	ReasonAboveThreshold
	// ReasonBelowThreshold says that utilisation was below the lower threshold for as long as the rule asks.
	ReasonBelowThreshold
	// ReasonWithinThresholds says that no rule asks for a change.
	ReasonWithinThresholds
	// ReasonTotalDemand says that the total demand and the target utilisation decided the number of replicas.
	ReasonTotalDemand
	// ReasonScaleDownDeferred says that fewer replicas would do now and more were needed not long ago.
	ReasonScaleDownDeferred
	// ReasonCheapestPair says that size and number of replicas were chosen together, as the cheapest that suffice.
	ReasonCheapestPair
	// ReasonNoReplicas says that the number of replicas is not known or not controlled, so it is left alone.
	ReasonNoReplicas
	// ReasonExternal says that an outside recommender decided the need.
	ReasonExternal
	// ReasonExternalStale says that the outside recommender did not answer and its last good answer was kept.
	ReasonExternalStale
	// ReasonExternalUnavailable says that there is no answer of the outside recommender that is fresh enough.
	ReasonExternalUnavailable
	// ReasonMemoryWithinBand says that the need for memory is so close to the allocation that it is kept.
	ReasonMemoryWithinBand

	// The reasons about when and how far a size may change.

	// ReasonFloor says that a peak in the floor window kept the size from falling further.
	ReasonFloor
	// ReasonStepLimited says that the size moves only a part of the way, by the policy's largest step.
	ReasonStepLimited
	// ReasonSmallChange says that the change is too small to be worth a disruption.
	ReasonSmallChange
	// ReasonTooFewReplicas says that the service has too few replicas to be disturbed.
	ReasonTooFewReplicas
	// ReasonOutsideWindow says that the size may fall only in certain hours, and it is not one of them.
	ReasonOutsideWindow
	// ReasonCoolDown says that the size changed too recently.
	ReasonCoolDown
)

// appendReason adds a reason unless it is there already; decisions carry a handful, so a scan beats a set.
func appendReason(reasons []Reason, more ...Reason) []Reason {
	for _, reason := range more {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}

	return reasons
}
