package queue

import (
	"cmp"
	"slices"
)

// Filter chooses items.
type Filter struct {
	// States are those that are wanted; all when empty.
	States []State
	// Tenant is whose items are wanted; everybody's when empty.
	Tenant string
}

// state reports whether items of a state are wanted.
func (f *Filter) state(s State) bool {
	return len(f.States) == 0 || slices.Contains(f.States, s)
}

// Position is a place in the list of items by due time. It means nothing to another queue.
type Position struct {
	// Due is the due time by the queue's clock.
	Due int64
	// Service is the item's.
	Service string
}

// Page is a part of a list.
type Page struct {
	// Items are the items.
	Items []Item
	// Next is where the next page begins, when there are more.
	Next Position
	// More says whether there are.
	More bool
}

// List returns items, the ones due earliest first, the ones without a due time last: the first limit of those behind a
// position, or of all behind the zero Position. A limit below one is taken for one. Items move while the list is read: one
// that is put off may appear twice, one that is moved up not at all.
func (q *Queue) List(filter Filter, after Position, limit int) Page {
	limit = min(max(limit, 1), q.cfg.MaxItems)

	// One more tells whether there are more.
	first := selection{most: limit + 1, filter: filter, after: after}
	for shard := range q.items.shards {
		q.selectFrom(shard, &first)
	}

	var page Page

	places := first.sorted()
	if page.More = len(places) > limit; page.More {
		places = places[:limit]
		page.Next = places[limit-1]
	}

	for _, place := range places {
		// Meanwhile it may have gone, or have come to another state.
		if item, exists := q.Item(place.Service); exists && filter.state(item.State) {
			page.Items = append(page.Items, item)
		}
	}

	return page
}

// selectFrom reads one shard of the index, so that nobody is held up for long.
func (q *Queue) selectFrom(shard int, s *selection) {
	q.lock()
	defer q.unlock()

	for it := range q.items.shard(shard) {
		s.offer(it, q.shownDue(it))
	}
}

// selection keeps the first places of those that it is offered.
type selection struct {
	most   int
	filter Filter
	after  Position
	places []Position
	// last is the last of the first places, once there are as many as are wanted.
	last Position
}

// spare is how many times more places are kept than are wanted, until they are sorted out.
const spare = 4

func (s *selection) offer(it *item, due int64) {
	if s.filter.Tenant != "" && it.tenant.name != s.filter.Tenant || !s.filter.state(it.state) {
		return
	}

	place := Position{Due: due, Service: it.service}
	if s.after != (Position{}) && place.compare(s.after) <= 0 || s.last != (Position{}) && place.compare(s.last) > 0 {
		return
	}

	s.places = append(s.places, place)
	if len(s.places) >= spare*s.most {
		s.places = s.sorted()
		s.last = s.places[s.most-1]
	}
}

// sorted returns the first places in order.
func (s *selection) sorted() []Position {
	slices.SortFunc(s.places, Position.compare)

	return s.places[:min(s.most, len(s.places))]
}

// compare orders places by due time.
func (p Position) compare(other Position) int {
	return cmp.Or(cmp.Compare(p.Due, other.Due), cmp.Compare(p.Service, other.Service))
}

// shownDue returns the item's due time as others see it, or never when it has none.
func (q *Queue) shownDue(it *item) int64 {
	switch {
	case it.state == Failed && it.lies != delayed:
		return never
	case it.running() && it.wanted.empty():
		return q.runs.of(it).due
	default:
		return it.due
	}
}
