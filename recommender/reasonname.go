package recommender

// reasonNames are the names of the reasons, by reason.
var reasonNames = [...]string{
	ReasonCPUAboveBand:        "CPU_ABOVE_BAND",
	ReasonCPUBelowBand:        "CPU_BELOW_BAND",
	ReasonCPUWithinBand:       "CPU_WITHIN_BAND",
	ReasonCPUUnknown:          "CPU_UNKNOWN",
	ReasonMemoryPeak:          "MEMORY_PEAK",
	ReasonMemoryRejected:      "MEMORY_REJECTED",
	ReasonOOMKilled:           "OOM_KILLED",
	ReasonMemoryUnknown:       "MEMORY_UNKNOWN",
	ReasonTrendingUp:          "TRENDING_UP",
	ReasonNotTrending:         "NOT_TRENDING",
	ReasonNoPreviousSlot:      "NO_PREVIOUS_SLOT",
	ReasonUpNotConfirmed:      "UP_NOT_CONFIRMED",
	ReasonImpossibleCell:      "IMPOSSIBLE_CELL",
	ReasonNoAllocation:        "NO_ALLOCATION",
	ReasonNoData:              "NO_DATA",
	ReasonLowCoverage:         "LOW_COVERAGE",
	ReasonStaleData:           "STALE_DATA",
	ReasonImplausibleData:     "IMPLAUSIBLE_DATA",
	ReasonScaleDownBlocked:    "SCALE_DOWN_BLOCKED",
	ReasonRatio:               "RATIO",
	ReasonRounded:             "ROUNDED",
	ReasonRaisedToMin:         "RAISED_TO_MIN",
	ReasonLimitedByMax:        "LIMITED_BY_MAX",
	ReasonLimitedByCatalogue:  "LIMITED_BY_CATALOGUE",
	ReasonNoCatalogueEntry:    "NO_CATALOGUE_ENTRY",
	ReasonModeObserveOnly:     "MODE_OBSERVE_ONLY",
	ReasonModeUpOnly:          "MODE_UP_ONLY",
	ReasonModeOff:             "MODE_OFF",
	ReasonPercentile:          "PERCENTILE",
	ReasonWithinConfidence:    "WITHIN_CONFIDENCE",
	ReasonLeastCost:           "LEAST_COST",
	ReasonNotWorthChanging:    "NOT_WORTH_CHANGING",
	ReasonCPUSaturated:        "CPU_SATURATED",
	ReasonAboveThreshold:      "ABOVE_THRESHOLD",
	ReasonBelowThreshold:      "BELOW_THRESHOLD",
	ReasonWithinThresholds:    "WITHIN_THRESHOLDS",
	ReasonTotalDemand:         "TOTAL_DEMAND",
	ReasonScaleDownDeferred:   "SCALE_DOWN_DEFERRED",
	ReasonCheapestPair:        "CHEAPEST_PAIR",
	ReasonNoReplicas:          "NO_REPLICAS",
	ReasonExternal:            "EXTERNAL",
	ReasonExternalStale:       "EXTERNAL_STALE",
	ReasonExternalUnavailable: "EXTERNAL_UNAVAILABLE",
	ReasonMemoryWithinBand:    "MEMORY_WITHIN_BAND",
	ReasonFloor:               "FLOOR",
	ReasonStepLimited:         "STEP_LIMITED",
	ReasonSmallChange:         "SMALL_CHANGE",
	ReasonTooFewReplicas:      "TOO_FEW_REPLICAS",
	ReasonOutsideWindow:       "OUTSIDE_WINDOW",
	ReasonCoolDown:            "COOL_DOWN",
}

// String returns the reason's name, in upper case; empty for what is no reason.
func (r Reason) String() string { return nameOf(reasonNames[:], r) }

// Reasons returns every reason a decision can carry, in the order of their declaration.
func Reasons() []Reason {
	reasons := make([]Reason, 0, len(reasonNames)-1)

	for r := ReasonCPUAboveBand; int(r) < len(reasonNames); r++ {
		reasons = append(reasons, r)
	}

	return reasons
}
