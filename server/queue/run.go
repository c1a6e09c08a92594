package queue

// run is what the queue keeps of a hand-out until it is completed. Then it is used again, with another id.
type run struct {
	// id is that of the lease while it is open.
	id uint64
	// place is where runs has it.
	place uint32
	item  *item
	// What the item was handed out with; none of it changes.
	triggers records
	revision int64
	started  int64
	due      int64
	class    Trigger
	// probes is the dependency that the evaluation is to test.
	probes string
	// forgotten means that the outcome is of no interest any more.
	forgotten bool
	// revoke cancels the evaluation, once the worker has said how.
	revoke func()
	// next and prev link those that are open, and next those that are not.
	next, prev *run
}

// runs are those that are open, in the order of their hand-out.
type runs struct {
	first, last *run
	count       int
	// latest is the id of the latest hand-out; no two have the same.
	latest uint64
	// all are those that were ever open at the same time, by their places less one.
	all []*run
	// unused are those that were completed: as many as there were open at the most.
	unused *run
}

// begin opens one.
func (rs *runs) begin() *run {
	r := rs.unused
	if r == nil {
		r = &run{place: uint32(len(rs.all) + 1)} //nolint:gosec // few run at a time
		rs.all = append(rs.all, r)
	} else {
		rs.unused = r.next
	}

	rs.latest++
	rs.count++
	r.id, r.next, r.prev = rs.latest, nil, rs.last

	if rs.last == nil {
		rs.first = r
	} else {
		rs.last.next = r
	}

	rs.last = r

	return r
}

// of returns what is kept of the hand-out of an item that runs.
func (rs *runs) of(it *item) *run {
	return rs.all[it.run-1]
}

// end closes one, which must not be used afterwards.
func (rs *runs) end(r *run) {
	if r.prev == nil {
		rs.first = r.next
	} else {
		r.prev.next = r.next
	}

	if r.next == nil {
		rs.last = r.prev
	} else {
		r.next.prev = r.prev
	}

	rs.count--
	*r = run{place: r.place, next: rs.unused}
	rs.unused = r
}
