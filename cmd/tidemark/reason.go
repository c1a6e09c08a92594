package main

import (
	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// reasonText is a reason as a sentence; of a reason that a newer server knows, its name.
func reasonText(reason tidemarkv1.Reason) string {
	if text, known := reasonTexts[reason]; known {
		return text
	}

	return tidemark.FormatEnum(reason)
}

// reasonTexts are the sentences of the API's documentation.
var reasonTexts = map[tidemarkv1.Reason]string{
	tidemarkv1.Reason_REASON_CPU_ABOVE_BAND:       "The CPU peak is above the upper threshold of the allocation.",
	tidemarkv1.Reason_REASON_CPU_BELOW_BAND:       "The CPU peak is below the lower threshold of the allocation.",
	tidemarkv1.Reason_REASON_CPU_WITHIN_BAND:      "The CPU peak is between the thresholds, so the CPU allocation is kept.",
	tidemarkv1.Reason_REASON_CPU_UNKNOWN:          "No usable CPU peak was seen, so CPU is not lowered.",
	tidemarkv1.Reason_REASON_MEMORY_PEAK:          "A memory peak and its headroom decided the need for memory.",
	tidemarkv1.Reason_REASON_MEMORY_REJECTED:      "Refused requests raised the need for memory above the peak and its headroom.",
	tidemarkv1.Reason_REASON_OOM_KILLED:           "A kill for lack of memory raised the need for memory above the peak and its headroom.",
	tidemarkv1.Reason_REASON_MEMORY_UNKNOWN:       "No usable resident memory peak was seen, so memory is not lowered.",
	tidemarkv1.Reason_REASON_TRENDING_UP:          "The short-term need is growing, so the long-term one was trusted.",
	tidemarkv1.Reason_REASON_NOT_TRENDING:         "The short-term need is flat or falling, so it was trusted.",
	tidemarkv1.Reason_REASON_NO_PREVIOUS_SLOT:     "There is no earlier periodic evaluation to see a trend from, so the size is held.",
	tidemarkv1.Reason_REASON_UP_NOT_CONFIRMED:     "The long window asks for more and recent load is stable, so the size is kept.",
	tidemarkv1.Reason_REASON_IMPOSSIBLE_CELL:      "The small window asks for more than the large window that contains it, so the larger need was taken.",
	tidemarkv1.Reason_REASON_NO_ALLOCATION:        "The present size is not known, so there is nothing to compare with.",
	tidemarkv1.Reason_REASON_NO_DATA:              "A window holds no data at all.",
	tidemarkv1.Reason_REASON_LOW_COVERAGE:         "A window holds too few samples to lower anything.",
	tidemarkv1.Reason_REASON_STALE_DATA:           "The newest sample is too old, or its age unknown, to lower anything.",
	tidemarkv1.Reason_REASON_IMPLAUSIBLE_DATA:     "Negative or absurd values were seen and taken as unknown.",
	tidemarkv1.Reason_REASON_SCALE_DOWN_BLOCKED:   "A lower size was wanted and a rule kept the present one; another reason says which rule.",
	tidemarkv1.Reason_REASON_RATIO:                "CPU or memory was raised to keep the policy's CPU to memory ratio.",
	tidemarkv1.Reason_REASON_ROUNDED:              "The need was rounded up to a catalogue size or a step.",
	tidemarkv1.Reason_REASON_RAISED_TO_MIN:        "The policy's minimum raised the size.",
	tidemarkv1.Reason_REASON_LIMITED_BY_MAX:       "The policy's maximum leaves the size below the need.",
	tidemarkv1.Reason_REASON_LIMITED_BY_CATALOGUE: "No catalogue size covers the need.",
	tidemarkv1.Reason_REASON_NO_CATALOGUE_ENTRY:   "No catalogue size lies within the policy's bounds, so only the bounds were applied.",
	tidemarkv1.Reason_REASON_MODE_OBSERVE_ONLY:    "The answer is to be looked at and not to be acted on.",
	tidemarkv1.Reason_REASON_MODE_UP_ONLY:         "The policy's mode kept the size from falling.",
	tidemarkv1.Reason_REASON_MODE_OFF:             "The policy's mode keeps the size as it is.",
	tidemarkv1.Reason_REASON_PERCENTILE:           "A percentile of the decaying histogram and its margin decided the need.",
	tidemarkv1.Reason_REASON_WITHIN_CONFIDENCE:    "The allocation lies between the confidence bounds, so it is kept.",
	tidemarkv1.Reason_REASON_ABOVE_THRESHOLD:      "Utilisation was above the upper threshold for as long as the rule asks.",
	tidemarkv1.Reason_REASON_BELOW_THRESHOLD:      "Utilisation was below the lower threshold for as long as the rule asks.",
	tidemarkv1.Reason_REASON_WITHIN_THRESHOLDS:    "No rule asks for a change.",
	tidemarkv1.Reason_REASON_TOTAL_DEMAND:         "The total demand and the target utilisation decided the number of replicas.",
	tidemarkv1.Reason_REASON_SCALE_DOWN_DEFERRED:  "Fewer replicas would do now and more were needed not long ago.",
	tidemarkv1.Reason_REASON_CHEAPEST_PAIR:        "Size and number of replicas were chosen together, as the cheapest that suffice.",
	tidemarkv1.Reason_REASON_NO_REPLICAS:          "The number of replicas is not known or not controlled, so it is left alone.",
	tidemarkv1.Reason_REASON_EXTERNAL:             "An outside recommender decided the need.",
	tidemarkv1.Reason_REASON_EXTERNAL_STALE:       "The outside recommender did not answer and its last good answer was kept.",
	tidemarkv1.Reason_REASON_EXTERNAL_UNAVAILABLE: "There is no answer of the outside recommender that is fresh enough.",
	tidemarkv1.Reason_REASON_MEMORY_WITHIN_BAND:   "The need for memory is so close to the allocation that it is kept.",
	tidemarkv1.Reason_REASON_FLOOR:                "A peak in the floor window kept the size from falling further.",
	tidemarkv1.Reason_REASON_STEP_LIMITED:         "The size moves only a part of the way, by the policy's largest step.",
	tidemarkv1.Reason_REASON_SMALL_CHANGE:         "The change is too small to be worth a disruption.",
	tidemarkv1.Reason_REASON_TOO_FEW_REPLICAS:     "The service has too few replicas to be disturbed.",
	tidemarkv1.Reason_REASON_OUTSIDE_WINDOW:       "The size may fall only in certain hours, and it is not one of them.",
	tidemarkv1.Reason_REASON_COOL_DOWN:            "The size changed too recently.",
	tidemarkv1.Reason_REASON_LEAST_COST:           "The size was taken that would have cost the least, in idle capacity and in shortage.",
	tidemarkv1.Reason_REASON_NOT_WORTH_CHANGING:   "Another size would have cost less, but not by enough to change for it.",
	tidemarkv1.Reason_REASON_CPU_SATURATED:        "CPU use is at the allocation, so what more would be used cannot be seen.",
}
