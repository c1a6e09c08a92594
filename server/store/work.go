package store

import (
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// merge joins two wishes for the same service: the more urgent trigger speaks for both, the earlier times are kept.
func merge(old, latest Work) Work {
	merged := latest
	if urgency(old.Trigger) > urgency(latest.Trigger) {
		merged.Trigger, merged.Source, merged.Detail = old.Trigger, old.Source, old.Detail
	}

	merged.Observed = earlier(old.Observed, latest.Observed)
	merged.Accepted = earlier(old.Accepted, latest.Accepted)
	merged.Revision = max(old.Revision, latest.Revision)

	return merged
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}

	return b
}

// urgency orders triggers: the higher one is due sooner.
func urgency(t tidemarkv1.Trigger) int {
	switch t {
	case tidemarkv1.Trigger_TRIGGER_SIGNAL:
		return 2
	case tidemarkv1.Trigger_TRIGGER_MANUAL, tidemarkv1.Trigger_TRIGGER_UNSPECIFIED:
		return 1
	case tidemarkv1.Trigger_TRIGGER_PERIODIC:
		return 0
	default:
		return 0
	}
}
