package queue

import "time"

// alarm is the one timer of all delays.
type alarm struct {
	timer *time.Timer
	// set means that the timer runs, to the time at, by the queue's clock.
	set bool
	at  int64
}

// delayUntil keeps an item that lies nowhere back; its deadline must be in its history.
func (q *Queue) delayUntil(it *item, until int64, s State) {
	it.due = until
	it.lies = delayed
	q.setState(it, s)
	q.delays.push(it, until)
	q.setAlarm(q.clock.now())
}

// endDelay makes a delayed item ready, due at its deadline.
func (q *Queue) endDelay(it *item) {
	q.withdraw(it)
	it.due = it.history.deadline
	q.makeReady(it)
}

// setAlarm sets the timer to the end of the shortest delay.
func (q *Queue) setAlarm(at int64) {
	if len(q.delays) == 0 || q.stopped || q.alarm.set && q.alarm.at == q.delays[0].key {
		return
	}

	q.alarm.set, q.alarm.at = true, q.delays[0].key
	wait := time.Duration(max(0, q.alarm.at-at))

	if q.alarm.timer == nil {
		q.alarm.timer = time.AfterFunc(wait, q.endDelays)
	} else {
		q.alarm.timer.Reset(wait)
	}
}

// endDelays makes ready what has waited long enough.
func (q *Queue) endDelays() {
	q.mu.Lock()
	defer q.mu.Unlock()

	if q.stopped {
		return
	}

	at := q.clock.now()
	for len(q.delays) > 0 && q.delays[0].key <= at {
		it := q.delays[0].node
		// A deadline that passed during the delay would put the item before work that has become more urgent since.
		it.history.deadline = max(it.history.deadline, it.due)
		q.endDelay(it)
	}

	q.alarm.set = false
	q.setAlarm(at)
}
