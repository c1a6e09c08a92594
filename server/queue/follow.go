package queue

// follow does what was planned for a request.
func (q *Queue) follow(p *plan, it *item, r *Request, at int64) {
	if p.step == revive || p.step == schedule {
		// What it was wanted for so far was given up.
		it.wanted = records{}
	}

	q.note(it, r, at)

	if it.history != nil && !it.running() {
		if r.Trigger == Manual && it.history.heldBack(it, at) {
			q.stats.jumped++
		}

		it.history.attempts = p.attempts
	}

	switch p.step { //nolint:exhaustive // a start has no item before
	case revive:
		it.due, it.class = p.deadline, r.Trigger
		q.makeReady(it)
	case again:
		it.due, it.class = p.deadline, r.Trigger
	case advance:
		q.storage.remove(it)
		it.due, it.class = p.deadline, r.Trigger
		q.storage.Push(it)
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

	if it.ready() {
		it.dropHistory()
		it.noteRepeatable()
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

// dropHistory frees the history of an item that has not failed.
func (it *item) dropHistory() {
	if it.history != nil && it.history.attempts == 0 {
		it.history = nil
	}
}
