package queue

import "time"

// alarm is the one timer of all delays.
type alarm struct {
	timer *time.Timer
	// set is the time for which the timer is set, by the queue's clock; zero when it is not.
	set int64
}

// delayUntil keeps an item that lies nowhere back; its deadline must be in its history.
func (q *Queue) delayUntil(it *item, until int64, s State) {
	it.due = until
	it.lies = delayed
	q.setState(it, s)
	q.delays.push(it)
	q.setAlarm(q.at(time.Now()))
}

// endDelay makes a delayed item ready, due at its deadline.
func (q *Queue) endDelay(it *item) {
	q.withdraw(it)
	it.due = it.history.deadline
	q.makeReady(it)
}

// setAlarm sets the timer to the end of the shortest delay.
func (q *Queue) setAlarm(at int64) {
	if len(q.delays) == 0 || q.stopped || q.delays[0].due == q.alarm.set {
		return
	}

	q.alarm.set = q.delays[0].due
	wait := time.Duration(max(0, q.alarm.set-at))

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

	at := q.at(time.Now())
	for len(q.delays) > 0 && q.delays[0].due <= at {
		it := q.delays[0]
		// A deadline that passed during the delay would put the item before work that has become more urgent since.
		it.history.deadline = max(it.history.deadline, it.due)
		q.endDelay(it)
	}

	q.alarm.set = 0
	q.setAlarm(at)
}
