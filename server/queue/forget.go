package queue

// Forget removes all that is known of a service and returns what that was; false when there was nothing. An evaluation
// that runs is revoked; its outcome will not count.
func (q *Queue) Forget(service string) (Item, bool) {
	q.lock()
	defer q.unlock()

	it := q.find(service)
	if it == nil {
		return Item{}, false
	}

	forgotten := q.export(it)

	if !it.running() {
		q.withdraw(it)
		q.discard(it)

		return forgotten, true
	}

	it.wanted, it.revision, it.history = records{}, 0, nil

	r := q.runs.of(it)
	r.forgotten = true

	if r.revoke != nil {
		r.revoke()
		r.revoke = nil
	}

	return forgotten, true
}
