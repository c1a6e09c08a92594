package watch

import (
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// successor is the entry that a change makes of the one before, which is nil when there was none.
func successor(old *entry, event store.Event, now time.Time) *entry {
	r := event.Record.Recommendation
	if r == nil {
		return &entry{service: event.Service, revision: event.Revision, published: event.Revision, noticed: now}
	}

	e := &entry{
		service: r.GetService(), revision: r.GetRevision(), published: max(r.GetRevision(), event.Record.Published),
		expires: expiry(r), noticed: now, full: r, basic: basicView(r),
	}

	switch {
	case old == nil:
		// What readers were told before this hub began is not known: they may be owed the latest write.
		e.renewed = event.Revision
	case e.published > old.published:
	case renews(r, old.expires):
		e.renewed = event.Revision
	default:
		e.renewed, e.expires, e.noticed = old.renewed, old.expires, old.noticed
	}

	return e
}

// renews reports that readers who hold the same value, but think that it expires then, have to be told that it still
// holds. That is so when they think half of its time has passed: early enough for the next evaluation to come in time,
// and rarely enough to cost little.
func renews(r *tidemarkv1.Recommendation, expires time.Time) bool {
	const half = 2

	evaluated, end := r.GetEvaluateTime(), expiry(r)
	if evaluated == nil || end.IsZero() {
		return false
	}

	return end.Sub(expires) >= end.Sub(evaluated.AsTime())/half
}

// expiry is when a recommendation ends; zero when it does not.
func expiry(r *tidemarkv1.Recommendation) time.Time {
	if r.GetExpireTime() == nil {
		return time.Time{}
	}

	return r.GetExpireTime().AsTime()
}
