package queue

import "time"

// Postpone keeps an item that waits or backs off from being handed out before the given time, also when it was due
// earlier or later so far. It returns false when the service has no such item. A request that comes meanwhile ends the
// delay, unless it is automatic and the item has failed.
func (q *Queue) Postpone(service string, until time.Time) bool {
	q.lock()
	defer q.unlock()

	it := q.find(service)
	if it == nil || q.stopped || it.state != Waiting && it.state != BackingOff {
		return false
	}

	if it.ready() {
		it.past().deadline = it.due
	}

	q.withdraw(it)
	q.delayUntil(it, q.clock.at(until), it.state)

	return true
}
