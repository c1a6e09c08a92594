package queue

import (
	"fmt"
	"slices"
)

// TryGet is Get for tests that must not wait; it returns the zero Lease when nothing is ready.
func (q *Queue) TryGet() (lease Lease) {
	w := q.look(nil, &lease)
	if w != nil {
		q.leave(w)
	}

	return lease
}

// WhileLocked has something done while somebody else has the lock.
func (q *Queue) WhileLocked(do func()) {
	q.lock()
	defer q.unlock()

	do()
}

// Check returns an error when the parts of the queue contradict each other.
func (q *Queue) Check() error {
	q.lock()
	defer q.unlock()

	var (
		depth   [stateCount]int
		tenants = make(map[*tenant]int)
		lying   [delayed + 1]int
		running int
	)

	for shard := range q.items.shards {
		for it := range q.items.shard(shard) {
			depth[it.state]++
			lying[it.lies]++
			tenants[it.tenant]++

			if it.running() {
				running++
			}

			if err := it.check(); err != nil {
				return err
			}
		}
	}

	switch {
	case depth != q.stats.depth:
		return fmt.Errorf("depth is %v, counted as %v", depth, q.stats.depth)
	case lying[listed]+lying[late] != q.storage.size:
		return fmt.Errorf("%d items ready, %d stored", lying[listed]+lying[late], q.storage.size)
	case lying[delayed] != len(q.delays):
		return fmt.Errorf("%d items delayed, %d stored", lying[delayed], len(q.delays))
	case running != q.runs.count || running != depth[Running]:
		return fmt.Errorf("%d items run, %d leases, %d in state", running, q.runs.count, depth[Running])
	case q.storage.size > 0 && q.waiters.last != nil && !q.waiters.calling && !q.gated && !q.stopped:
		return fmt.Errorf("%d items ready, somebody waits, and nobody is called", q.storage.size)
	case len(tenants) != len(q.tenants.byName)-q.tenants.idle:
		return fmt.Errorf("%d tenants have items, %d are known and %d idle",
			len(tenants), len(q.tenants.byName), q.tenants.idle)
	}

	for t, items := range tenants {
		if q.tenants.byName[t.name] != t || t.items != items {
			return fmt.Errorf("tenant %s has %d items, counted as %d", t.name, items, t.items)
		}
	}

	return q.storage.check()
}

func (it *item) check() error {
	switch {
	case it.running() != (it.state == Running), it.running() && it.lies != aside:
		return fmt.Errorf("%s: state %v, location %d", it.service, it.state, it.lies)
	case it.lies == aside && it.state != Running && it.state != Failed:
		return fmt.Errorf("%s: state %v, but lies nowhere", it.service, it.state)
	case it.ready() && it.state != Waiting:
		return fmt.Errorf("%s: state %v, but ready", it.service, it.state)
	case it.wanted.first.repeatable != (it.ready() && it.history == nil):
		return fmt.Errorf("%s: repeatable is %t", it.service, it.wanted.first.repeatable)
	case it.wanted.empty() && it.state != Running:
		return fmt.Errorf("%s: state %v, but wanted by nobody", it.service, it.state)
	case it.history != nil && it.history.attempts == 0 && it.lies != delayed:
		return fmt.Errorf("%s: has a history of nothing", it.service)
	default:
		return nil
	}
}

func (s *storage) check() error {
	size := 0

	for class := range s.classes {
		c := &s.classes[class]
		items, flows, earliest := 0, 0, int64(never)

		for f := c.front; f != nil; f = f.next {
			flows++

			var dues []int64
			for it := f.head; it != nil; it = c.items.get(it.next) {
				dues = append(dues, it.due)
			}

			if !slices.IsSorted(dues) {
				return fmt.Errorf("flow out of order: %v", dues)
			}

			for _, late := range f.late {
				dues = append(dues, late.key)
			}

			if slices.Min(dues) != f.due {
				return fmt.Errorf("flow is due at %d, noted as %d", slices.Min(dues), f.due)
			}

			items += len(dues)
			earliest = min(earliest, f.due)
		}

		if items != c.size || flows != len(c.byDue) || earliest != c.earliest() {
			return fmt.Errorf("class %d: %d items of %d, %d flows of %d, earliest %d noted as %d",
				class, items, c.size, flows, len(c.byDue), earliest, c.earliest())
		}

		size += items
	}

	if size != s.size {
		return fmt.Errorf("%d items stored, counted as %d", size, s.size)
	}

	return nil
}
