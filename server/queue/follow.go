package queue

import "time"

// follow does what was planned for a request.
func (q *Queue) follow(p plan, it *item, r *Request, now time.Time) {
	if p.step == revive || p.step == schedule {
		// What it was wanted for so far was given up.
		it.wanted = records{}
	}

	q.note(it, r, now)

	if it.history != nil && !it.running() {
		if r.Trigger == Manual && it.history.heldBack(it, q.at(now)) {
			q.stats.jumped++
		}

		it.history.attempts = p.attempts
	}

	switch p.step {
	case start, revive:
		it.due, it.class = p.deadline, r.Trigger
		q.makeReady(it)
	case again:
		it.due, it.class = p.deadline, r.Trigger
	case advance:
		q.storage.moved = move{due: p.deadline, class: r.Trigger}
		q.base.Add(it)
	case hasten:
		it.history.bringForward(it, p.deadline, r.Trigger)
		q.endDelay(it)
	case schedule:
		it.history.deadline, it.class = p.deadline, r.Trigger
		q.delayUntil(it, it.history.probe, Failed)
	case join:
		if it.lies == delayed {
			it.history.bringForward(it, p.deadline, r.Trigger)
		}
	}

	if it.lies == ready {
		it.dropHistory()
	}
}

// dropHistory frees the history of an item that neither runs nor has failed.
func (it *item) dropHistory() {
	if it.history != nil && it.history.attempts == 0 {
		it.history = nil
	}
}

// heldBack reports whether failures keep the item from running.
func (h *history) heldBack(it *item, at int64) bool {
	return h.attempts > 0 && (it.lies == delayed || it.state == Failed && h.probe > at)
}

// bringForward gives a delayed item an earlier deadline.
func (h *history) bringForward(it *item, deadline int64, class Trigger) {
	if deadline < h.deadline {
		h.deadline, it.class = deadline, class
	}
}

// makeReady hands an item that lies nowhere to the base queue, by its due time and class.
func (q *Queue) makeReady(it *item) {
	it.dropHistory()
	q.setState(it, Waiting)
	it.lies = ready
	q.base.Add(it)
	q.signal()
}

// withdraw takes an item out of what holds it.
func (q *Queue) withdraw(it *item) {
	switch it.lies {
	case ready:
		q.storage.pick = it
		q.base.Get()
		q.storage.pick = nil
		q.base.Done(it)
	case delayed:
		q.delays.remove(it)
	case aside:
	}

	it.lies = aside
}

// discard forgets an item that lies nowhere.
func (q *Queue) discard(it *item) {
	it.tenant.depth[it.state]--
	q.stats.depth[it.state]--
	q.tenants.release(it.tenant)
	delete(q.items, it.service)
}

func (q *Queue) setState(it *item, s State) {
	it.tenant.depth[it.state]--
	q.stats.depth[it.state]--
	it.state = s
	it.tenant.depth[s]++
	q.stats.depth[s]++
}

// signal lets a waiting Get look again. One token is enough: who takes it passes it on while there is more.
func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
