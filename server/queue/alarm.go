package queue

import "time"

// alarm is the one timer of a queue.
type alarm struct {
	timer *time.Timer
	// set means that the timer runs, to the time at, by the queue's clock.
	set bool
	at  int64
}

// setAlarm sets the timer to the end of the shortest delay, or to when ready items may be handed out again.
func (q *Queue) setAlarm(at int64) {
	next := int64(never)
	if len(q.delays) > 0 {
		next = q.delays[0].key
	}

	if opens := q.opens(at); opens > at && q.storage.size > 0 {
		next = min(next, opens)
	}

	if next == never || q.stopped || q.alarm.set && q.alarm.at == next {
		return
	}

	q.alarm.set, q.alarm.at = true, next
	wait := time.Duration(max(0, next-at))

	if q.alarm.timer == nil {
		q.alarm.timer = time.AfterFunc(wait, q.ring)
	} else {
		q.alarm.timer.Reset(wait)
	}
}

// ring makes ready what has waited long enough and lets Get look.
func (q *Queue) ring() {
	q.lock()
	defer q.unlock()

	if q.stopped {
		return
	}

	at := q.now()
	q.endDelays(at)

	if q.storage.size > 0 {
		q.rouse = true
	}

	q.alarm.set = false
	q.setAlarm(at)
}
