package queue

// plan is what a request means for an item.
type plan struct {
	step    step
	outcome Outcome
	// due is the answer's due time: the item's new deadline, or the end of its delay when it stays delayed.
	due int64
	// deadline is the request's own.
	deadline int64
	// attempts is the item's afterwards.
	attempts int
}

// step is what is done with an item besides merging the request into it.
type step uint8

const (
	// join does nothing more.
	join step = iota
	// start makes a new item ready.
	start
	// again has a running item run once more.
	again
	// advance gives a ready item an earlier deadline.
	advance
	// hasten ends a delay.
	hasten
	// revive makes a Failed item that waits for a trigger ready.
	revive
	// schedule delays such an item until its probe.
	schedule
)

// plan decides what becomes of a request for an item, which is nil when the service has none.
func (q *Queue) plan(it *item, trigger Trigger, at int64) plan {
	deadline := at + q.cfg.Slack.of(trigger)
	p := plan{deadline: deadline, due: deadline, attempts: it.attempts()}

	switch {
	case it == nil:
		p.step, p.outcome = start, Queued
	case it.running():
		p.planRunning(it, q.cfg.Slack.of(trigger) < q.cfg.Slack.of(q.runs.of(it).class))
	case it.state == Failed:
		p.planFailed(it, trigger, at)
	case it.lies == delayed:
		p.planDelayed(it, trigger)
	case deadline < it.due:
		p.step, p.outcome = advance, MovedUp
	default:
		p.outcome, p.due = Merged, it.due
	}

	// A person's wish makes a new start of an item that was given up, also when its probe is under way.
	if trigger == Manual && p.attempts >= q.cfg.BackoffLimit && (it == nil || !it.running()) {
		p.attempts = 0
	}

	return p
}

// planRunning plans for an item that runs, for something less urgent than the request or not.
func (p *plan) planRunning(it *item, lessUrgent bool) {
	switch {
	case it.wanted.empty() && lessUrgent:
		p.step, p.outcome = again, MovedUp
	case it.wanted.empty():
		p.step, p.outcome = again, Queued
	case p.deadline < it.due:
		p.step, p.outcome = again, MovedUp
	default:
		p.outcome, p.due = Merged, it.due
	}
}

func (p *plan) planFailed(it *item, trigger Trigger, at int64) {
	switch {
	case it.lies == delayed:
		p.planDelayed(it, trigger)
	case trigger == Manual || it.history.probe <= at:
		p.step, p.outcome = revive, Queued
	default:
		p.step, p.outcome, p.due = schedule, Deferred, it.history.probe
	}
}

func (p *plan) planDelayed(it *item, trigger Trigger) {
	if it.history.attempts > 0 && trigger != Manual {
		p.outcome, p.due = Deferred, it.due

		return
	}

	p.step, p.outcome, p.due = hasten, MovedUp, min(p.deadline, it.history.deadline)
}
