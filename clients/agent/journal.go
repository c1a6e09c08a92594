package agent

import (
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// journal knows what was recommended last for every service, and so what is news.
type journal struct {
	snapshot Snapshot
	started  bool // the first snapshot is complete
	last     map[string]noted
}

// noted is what matters to an actuator about a recommendation.
type noted struct {
	revision                int64
	allocation, recommended *tidemarkv1.Size
	mode                    tidemarkv1.Mode
	outstanding             bool
}

func newJournal(snapshot Snapshot) journal {
	return journal{snapshot: snapshot, last: make(map[string]noted)}
}

// caughtUp ends the first snapshot. What later ones hold that is not known yet has changed since.
func (j *journal) caughtUp() { j.started = true }

func (j *journal) forget(service string) { delete(j.last, service) }

// matters notes the recommendation and reports that there is something new to do about it.
func (j *journal) matters(recommendation *tidemarkv1.Recommendation, snapshot bool) bool {
	// Nothing is known that could be done.
	if recommendation.GetRecommended() == nil {
		return false
	}

	before, known := j.last[recommendation.GetService()]
	j.last[recommendation.GetService()] = noted{
		revision:    recommendation.GetRevision(),
		allocation:  recommendation.GetAllocation(),
		recommended: recommendation.GetRecommended(),
		mode:        recommendation.GetMode(),
		outstanding: outstanding(recommendation),
	}

	switch {
	case known && same(before, recommendation):
		// The server sends the same revision again only when somebody asked for it.
		return !snapshot && before.revision == recommendation.GetRevision() && outstanding(recommendation)
	case known:
		return true
	case snapshot && !j.started:
		return j.snapshot == SnapshotAll || j.snapshot == SnapshotOutstanding && outstanding(recommendation)
	default:
		return outstanding(recommendation)
	}
}

// same reports that there is nothing to do that was not noted before. A service that has moved away from the same
// recommended size is news, and so is a direction where there was none; a service that has reached its size is not.
func same(before noted, now *tidemarkv1.Recommendation) bool {
	return before.mode == now.GetMode() && proto.Equal(before.recommended, now.GetRecommended()) &&
		(!outstanding(now) || before.outstanding && proto.Equal(before.allocation, now.GetAllocation()))
}

// outstanding reports that the service does not have the recommended size.
func outstanding(recommendation *tidemarkv1.Recommendation) bool {
	return recommendation.GetDirection() != tidemarkv1.Direction_DIRECTION_NONE
}
