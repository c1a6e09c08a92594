package replicas

import (
	"math"

	"github.com/tidemark-project/tidemark/recommender"
)

// chooseNumber finds how many replicas of the present size are needed. More are added for the peak of the short window;
// some are removed only when the peak of the long one would allow it as well, which is Autopilot's deferred downscaling: a
// number is the largest need of that time.
//
// A number is kept while demand is close to what it is made for. As with the Horizontal Pod Autoscaler, closeness is
// measured before rounding: 4 replicas stay 4 up to 1.1 times their demand and become 5 right after.
func (e *evaluation) chooseNumber() {
	rawUp, rawDown := e.raw(e.present.size, upPeak), e.raw(e.present.size, downPeak)
	up, down := e.whole(rawUp), e.whole(rawDown)
	ratioUp, ratioDown := e.ratio(rawUp), e.ratio(rawDown)

	e.fact("up_raw_replicas", rawUp)
	e.fact("down_raw_replicas", rawDown)
	e.fact("up_replicas", float64(up))
	e.fact("down_replicas", float64(down))
	e.fact("up_ratio", ratioUp)
	e.fact("down_ratio", ratioDown)

	count, p := e.present.count, e.proposal

	switch {
	case up > count && ratioUp > 1+e.params.Tolerance:
		p.Replicas = up
		p.Because(recommender.ReasonTotalDemand)
	case down < count && ratioDown < 1-e.params.Tolerance:
		p.Replicas = down
		p.Because(recommender.ReasonTotalDemand)
	case up < count && ratioUp < 1-e.params.Tolerance:
		p.Because(recommender.ReasonScaleDownDeferred)
	default:
		p.Because(recommender.ReasonWithinThresholds)
	}
}

// ratio compares a demand with what the replicas that are not spare are made for.
func (e *evaluation) ratio(raw float64) float64 {
	serving := e.present.count - e.params.SpareReplicas
	if serving <= 0 {
		return math.MaxFloat64
	}

	return raw / float64(serving)
}
