package queue

// RetryNow forgets the failures of a service's item and makes it due now, if it does not run. It returns the item as it
// stands then; false when there is none.
func (q *Queue) RetryNow(service string) (Item, bool) {
	q.lock()
	defer q.unlock()

	it := q.find(service)
	if it == nil {
		return Item{}, false
	}

	if !it.running() && !q.stopped {
		q.runNow(it)
	}

	return q.export(it), true
}

// runNow makes an item that does not run due now, as a person's wish.
func (q *Queue) runNow(it *item) {
	at := q.now()

	if it.history != nil && it.history.heldBack(it, at) {
		q.stats.jumped++
	}

	q.withdraw(it)

	it.history = nil

	// What is overdue keeps its place.
	if it.due > at {
		it.class, it.due = Manual, at
	}

	q.makeReady(it)
}
