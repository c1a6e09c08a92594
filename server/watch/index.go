package watch

import (
	"github.com/google/btree"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// degree is the width of the B-trees; measured flat between 16 and 64.
const degree = 32

// entry is the latest value of one service. It is immutable once it is in an index, so that readers may keep it without
// a lock; a new value gets a new entry.
type entry struct {
	service  string
	revision int64                      // of the latest change of value, or of the removal
	full     *tidemarkv1.Recommendation // nil when the service was removed
	basic    *tidemarkv1.Recommendation // full without explanation and triggers
}

func newEntry(r *tidemarkv1.Recommendation) *entry {
	return &entry{service: r.GetService(), revision: r.GetRevision(), full: r, basic: basicView(r)}
}

func (e *entry) removed() bool { return e.full == nil }

func (e *entry) view(v tidemarkv1.View) *tidemarkv1.Recommendation {
	if v == tidemarkv1.View_VIEW_FULL {
		return e.full
	}

	return e.basic
}

// index holds the latest value of every service, in the order of change and in the order of keys. Because a service has
// one place only, whoever reads it in the order of change gets the newest value of each and never one twice: that is
// how slow readers are coalesced. It is not safe for concurrent use.
type index struct {
	byRevision *btree.BTreeG[*entry]
	byService  *btree.BTreeG[*entry] // without the removed ones
	services   map[string]*entry
	tombstones int
	limit      int   // how many tombstones are kept
	forgotten  int64 // revision up to which removals are no longer all remembered
}

func newIndex(tombstoneLimit int) *index {
	return &index{
		limit:      tombstoneLimit,
		byRevision: btree.NewG(degree, changedBefore),
		byService:  btree.NewG(degree, func(a, b *entry) bool { return a.service < b.service }),
		services:   make(map[string]*entry),
	}
}

// changedBefore is the order of change. Removals that were noticed together share a revision.
func changedBefore(a, b *entry) bool {
	if a.revision != b.revision {
		return a.revision < b.revision
	}

	return a.service < b.service
}

// put replaces the value of a service.
func (x *index) put(e *entry) {
	x.drop(e.service)
	x.services[e.service] = e
	x.byRevision.ReplaceOrInsert(e)

	if e.removed() {
		x.tombstones++
		x.forgetTombstones()

		return
	}

	x.byService.ReplaceOrInsert(e)
}

// drop takes a service out of all orders.
func (x *index) drop(service string) {
	old, known := x.services[service]
	if !known {
		return
	}

	delete(x.services, service)
	x.byRevision.Delete(old)

	if old.removed() {
		x.tombstones--
	} else {
		x.byService.Delete(old)
	}
}

// forgetTombstones keeps the number of remembered removals bounded. It drops half at once, so that the walk is paid for
// by many removals.
func (x *index) forgetTombstones() {
	if x.tombstones <= x.limit {
		return
	}

	var oldest []*entry

	x.byRevision.Ascend(func(e *entry) bool {
		if e.removed() {
			oldest = append(oldest, e)
		}

		return len(oldest) <= x.limit/2
	})

	for _, e := range oldest {
		x.drop(e.service)
		x.forgotten = e.revision
	}
}

// after returns entries that changed after the revision, in the order of change: up to limit, and beyond it those that
// share the revision of the last.
func (x *index) after(revision int64, limit int) []*entry {
	var entries []*entry

	x.byRevision.AscendGreaterOrEqual(&entry{revision: revision + 1}, func(e *entry) bool {
		if n := len(entries); n >= limit && entries[n-1].revision < e.revision {
			return false
		}

		entries = append(entries, e)

		return true
	})

	return entries
}

// snapshot returns all services that are there, in the order of keys.
func (x *index) snapshot() []*entry {
	entries := make([]*entry, 0, x.byService.Len())

	x.byService.Ascend(func(e *entry) bool {
		entries = append(entries, e)

		return true
	})

	return entries
}

// basicView leaves out what only the full view shows.
func basicView(r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	return &tidemarkv1.Recommendation{
		Service:       r.GetService(),
		Revision:      r.GetRevision(),
		Allocation:    r.GetAllocation(),
		Recommended:   r.GetRecommended(),
		Observed:      r.GetObserved(),
		Uncapped:      r.GetUncapped(),
		Direction:     r.GetDirection(),
		Mode:          r.GetMode(),
		Status:        r.GetStatus(),
		Disruption:    r.GetDisruption(),
		Plan:          r.GetPlan(),
		Reasons:       r.GetReasons(),
		Policy:        r.GetPolicy(),
		DataTime:      r.GetDataTime(),
		EvaluateTime:  r.GetEvaluateTime(),
		ExpireTime:    r.GetExpireTime(),
		Failure:       r.GetFailure(),
		ScalingReport: r.GetScalingReport(),
	}
}
