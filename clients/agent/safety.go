package agent

import (
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// outdated says why the recommendation must not be acted on any more unless the server has renewed it; "" when it may
// be. The clock is this machine's: it should agree with the server's to within minutes.
func (a *Agent) outdated(recommendation *tidemarkv1.Recommendation, now time.Time) string {
	if expiry := recommendation.GetExpireTime(); expiry != nil && !now.Before(expiry.AsTime()) {
		return "it expired at " + expiry.AsTime().Format(time.RFC3339)
	}

	if recommendation.GetFreshness() == tidemarkv1.Freshness_FRESHNESS_EXPIRED {
		return "it has expired, as the server says"
	}

	if a.config.MaxDataAge < 0 || !Actionable(recommendation) {
		return ""
	}

	if recommendation.GetFreshness() == tidemarkv1.Freshness_FRESHNESS_STALE {
		return "it does not show the present, as the server says"
	}

	if recommendation.GetDataTime() == nil {
		if lowers(recommendation) {
			return "it lowers the size, and no usage data is behind it"
		}

		return ""
	}

	if age := now.Sub(recommendation.GetDataTime().AsTime()); age > a.config.MaxDataAge {
		return fmt.Sprintf("the newest usage data behind it is %s old, more than %s",
			age.Round(time.Second), a.config.MaxDataAge)
	}

	return ""
}

// forbidden says why the recommendation must not be acted on at all; "" when it may be.
func (a *Agent) forbidden(recommendation *tidemarkv1.Recommendation) string {
	if !Actionable(recommendation) {
		return "" // it is only to be shown
	}

	if recommendation.GetMode() == tidemarkv1.Mode_MODE_UP_ONLY && lowers(recommendation) &&
		recommendation.GetAllocation() != nil {
		return "it lowers the size although its mode is up only"
	}

	return a.disrupts(recommendation)
}

// disrupts says why the change, made as this agent's actuator makes changes, would do more to the service than its policy
// allows; "" when it would not, or when it is not known how the actuator makes them.
func (a *Agent) disrupts(recommendation *tidemarkv1.Recommendation) string {
	const rolling = tidemarkv1.DisruptionClass_DISRUPTION_CLASS_ROLLING

	does, allowed := a.config.Disruption, recommendation.GetDisruption()
	if does == tidemarkv1.DisruptionClass_DISRUPTION_CLASS_UNSPECIFIED || !resizes(recommendation) {
		return ""
	}

	// What a policy allows that does not say it.
	if allowed == tidemarkv1.DisruptionClass_DISRUPTION_CLASS_UNSPECIFIED {
		allowed = rolling
	}

	if does > allowed {
		return fmt.Sprintf("its policy allows disruption %q, and changes are made with %q here",
			tidemark.FormatEnum(allowed), tidemark.FormatEnum(does))
	}

	if does == rolling && allowed == rolling && recommendation.GetAllocation().GetReplicas() == 1 {
		return "the service has one replica, so nothing would serve while that is replaced, and its policy does not allow that"
	}

	return ""
}

// resizes reports that the replicas themselves change, and not only their number. What is not known may change.
func resizes(recommendation *tidemarkv1.Recommendation) bool {
	has, gets := recommendation.GetAllocation(), recommendation.GetRecommended()

	return has.GetCpuMillis() != gets.GetCpuMillis() || has.GetMemoryBytes() != gets.GetMemoryBytes()
}

// lowers reports that the change makes something smaller, or may, as the present size is not known.
func lowers(recommendation *tidemarkv1.Recommendation) bool {
	has, gets := recommendation.GetAllocation(), recommendation.GetRecommended()

	return has == nil || recommendation.GetDirection() == tidemarkv1.Direction_DIRECTION_DOWN ||
		gets.GetCpuMillis() < has.GetCpuMillis() || gets.GetMemoryBytes() < has.GetMemoryBytes() ||
		// No number of replicas: they are not controlled.
		gets.GetReplicas() != 0 && gets.GetReplicas() < has.GetReplicas()
}
