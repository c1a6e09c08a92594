package watch

import (
	"sync/atomic"
	"time"

	"github.com/google/btree"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// degree is the width of the B-trees; measured flat between 16 and 64.
const degree = 32

// entry is the latest value of one service. It is immutable once it is in an index, so that readers may keep it without
// a lock; a new value gets a new entry.
type entry struct {
	service   string
	number    uint32                     // of the service, while the index knows it
	revision  int64                      // of the latest change of value, or of the removal
	published int64                      // of the latest write that brings readers something to act on: mostly the same
	renewed   int64                      // of the latest write that told readers that the value still holds; 0 for none
	expires   time.Time                  // as readers were told; zero when they were not told of an end
	noticed   time.Time                  // when the hub learnt of the latest of these
	full      *tidemarkv1.Recommendation // nil when the service was removed
	basic     *tidemarkv1.Recommendation // full without explanation and triggers
	bytes     [2]atomic.Int32            // the encoded sizes of basic and full; 0 when not known yet
}

func (e *entry) removed() bool { return e.full == nil }

// latest is the place of the last thing that readers are told; 0 for no entry.
func (e *entry) latest() int64 {
	if e == nil {
		return 0
	}

	return max(e.published, e.renewed)
}

func (e *entry) view(v tidemarkv1.View) *tidemarkv1.Recommendation {
	if v == tidemarkv1.View_VIEW_FULL {
		return e.full
	}

	return e.basic
}

// size is how many bytes a view takes in its encoding.
func (e *entry) size(v tidemarkv1.View) int64 {
	known := &e.bytes[0]
	if v == tidemarkv1.View_VIEW_FULL {
		known = &e.bytes[1]
	}

	if known.Load() == 0 {
		known.Store(int32(proto.Size(e.view(v)))) //nolint:gosec // what is larger could not be sent
	}

	return int64(known.Load())
}

// mark is a place in the order of changes. A service has one where its value was published and, when it has been renewed
// since, another one there: a reader between the two has the value and is told that it still holds, and one before both
// gets it as a change.
type mark struct {
	order int64
	entry *entry
}

// renewal reports that readers who have passed everything before have the value.
func (m mark) renewal() bool { return m.order != m.entry.published }

// before is the order of change. Removals that were noticed together share a revision.
func (m mark) before(other mark) bool {
	if m.order != other.order {
		return m.order < other.order
	}

	return m.entry.service < other.entry.service
}

// index holds the latest value of every service, in the order of change and in the order of keys. Because a service has
// one value only, whoever reads it in the order of change gets the newest of each and none that is outdated: that is how
// slow readers are coalesced. It is not safe for concurrent use.
type index struct {
	marks      *btree.BTreeG[mark]
	byService  *btree.BTreeG[*entry] // without the removed ones
	services   map[string]*entry
	numbers    numbers // a reader whose cursor is not before forgotten holds none of a service that is not known
	tombstones int
	limit      int   // how many tombstones are kept
	forgotten  int64 // revision up to which removals are no longer all remembered
}

func newIndex(tombstoneLimit int) *index {
	return &index{
		limit:     tombstoneLimit,
		marks:     btree.NewG(degree, mark.before),
		byService: btree.NewG(degree, func(a, b *entry) bool { return a.service < b.service }),
		services:  make(map[string]*entry),
	}
}

// put replaces the value of a service.
func (x *index) put(e *entry) {
	if old, known := x.services[e.service]; known {
		e.number = old.number
		x.drop(old)
	} else {
		e.number = x.numbers.take()
	}

	x.services[e.service] = e
	x.marks.ReplaceOrInsert(mark{e.published, e})

	if e.renewed > e.published {
		x.marks.ReplaceOrInsert(mark{e.renewed, e})
	}

	if e.removed() {
		x.tombstones++
		x.forgetTombstones()

		return
	}

	x.byService.ReplaceOrInsert(e)
}

// drop takes a service's value out of all orders.
func (x *index) drop(old *entry) {
	delete(x.services, old.service)
	x.marks.Delete(mark{old.published, old})

	if old.renewed > old.published {
		x.marks.Delete(mark{old.renewed, old})
	}

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

	x.marks.Ascend(func(m mark) bool {
		if m.entry.removed() {
			oldest = append(oldest, m.entry)
		}

		return len(oldest) <= x.limit/2
	})

	for _, e := range oldest {
		x.drop(e)
		x.numbers.giveBack(e.number)
		x.forgotten = max(x.forgotten, e.revision)
	}
}

// after returns what changed after the revision, in the order of change: up to limit, and beyond it what shares the
// revision of the last. A renewal of what was itself published after the revision is left out: that brings the newest.
func (x *index) after(revision int64, limit int) []mark {
	var marks []mark

	x.marks.AscendGreaterOrEqual(mark{revision + 1, &entry{}}, func(m mark) bool {
		if n := len(marks); n >= limit && marks[n-1].order < m.order {
			return false
		}

		if !m.renewal() || m.entry.published <= revision {
			marks = append(marks, m)
		}

		return true
	})

	return marks
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
		Freshness:     r.GetFreshness(),
		Labels:        r.GetLabels(),
	}
}
