package queue

// Forget removes all that is known of a service and returns what that was; false when there was nothing. An evaluation
// that runs is revoked; its outcome will not count.
func (q *Queue) Forget(service string) (Item, bool) {
	q.mu.Lock()
	defer q.unlock()

	it := q.find(service)
	if it == nil {
		return Item{}, false
	}

	forgotten := q.export(it)

	if it.run == nil {
		q.withdraw(it)
		q.discard(it)

		return forgotten, true
	}

	it.wanted, it.revision, it.history = records{}, 0, nil
	it.run.forgotten = true

	if it.run.revoke != nil {
		it.run.revoke()
		it.run.revoke = nil
	}

	return forgotten, true
}
