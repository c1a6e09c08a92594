package queue

// delayUntil keeps an item that lies nowhere back; its deadline must be in its history.
func (q *Queue) delayUntil(it *item, until int64, s State) {
	it.due = until
	it.lies = delayed
	q.setState(it, s)
	q.delays.push(it, until)
	q.setAlarm(q.now())
}

// endDelay makes a delayed item ready, due at its deadline.
func (q *Queue) endDelay(it *item) {
	q.withdraw(it)
	it.due = it.history.deadline
	q.makeReady(it)
}

// endDelays makes ready what has waited long enough.
func (q *Queue) endDelays(at int64) {
	for len(q.delays) > 0 && q.delays[0].key <= at {
		it := q.delays[0].node
		// A deadline that passed during the delay would put the item before work that has become more urgent since.
		it.history.deadline = max(it.history.deadline, it.due)
		q.endDelay(it)
	}
}
