package watch

import "strings"

// audience finds the streams that a change may concern, so that the others are left asleep. It is not safe for concurrent
// use.
type audience struct {
	everything streams
	byTenant   map[string]streams
	byService  map[string]streams
}

type streams map[*stream]struct{}

func newAudience() audience {
	return audience{
		everything: make(streams), byTenant: make(map[string]streams), byService: make(map[string]streams),
	}
}

// add lets a stream hear of what its filter concerns.
func (a *audience) add(s *stream) {
	switch {
	case len(s.filter.services) > 0:
		addAll(a.byService, s.filter.services, s)
	case len(s.filter.tenants) > 0:
		addAll(a.byTenant, s.filter.tenants, s)
	default:
		a.everything[s] = struct{}{}
	}
}

// remove lets a stream hear of nothing any more.
func (a *audience) remove(s *stream) {
	delete(a.everything, s)
	removeAll(a.byTenant, s.filter.tenants, s)
	removeAll(a.byService, s.filter.services, s)
}

// tell notes with all streams that a change of a service may concern that it is owed to them, and wakes those that sleep.
// It returns how many had not taken yet what it replaced.
func (a *audience) tell(service string, order, replaced int64) (coalesced uint64) {
	tenant, _, _ := strings.Cut(service, "/")

	for _, concerned := range [...]streams{a.everything, a.byTenant[tenant], a.byService[service]} {
		for s := range concerned {
			if s.owe(order, replaced) {
				coalesced++
			}
		}
	}

	return coalesced
}

func addAll(to map[string]streams, keys map[string]struct{}, s *stream) {
	for key := range keys {
		if to[key] == nil {
			to[key] = make(streams)
		}

		to[key][s] = struct{}{}
	}
}

func removeAll(from map[string]streams, keys map[string]struct{}, s *stream) {
	for key := range keys {
		delete(from[key], s)

		if len(from[key]) == 0 {
			delete(from, key)
		}
	}
}

// owe notes that a change is owed to the reader, and wakes the stream if it was owed nothing. It reports that what the
// change replaced was still owed too: the reader never sees that. The hub's lock is held: the stream takes nothing
// meanwhile.
func (s *stream) owe(order, replaced int64) (coalesced bool) {
	owed := s.owed.Load()
	if owed == 0 || order < owed {
		s.owed.Store(order)
	}

	if owed == 0 {
		select {
		case s.wake <- struct{}{}:
		default:
		}

		return false
	}

	return replaced >= owed
}
