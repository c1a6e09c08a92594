package agent

import "time"

// startWait makes the lane ready after the delay. The caller holds the lock.
func (l *lanes) startWait(at *lane, delay time.Duration) {
	if l.closed {
		return
	}

	at.waits++
	wait := at.waits
	at.wait = time.AfterFunc(delay, func() { l.again(at, wait) })
}

// again ends a wait, unless that has been ended while the timer ran off.
func (l *lanes) again(at *lane, wait int) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if at.wait == nil || at.waits != wait || l.closed {
		return
	}

	at.endWait()

	if at.next != nil {
		l.wake(at)
	}

	l.tidy(at)
}

// endWait stops the timer, if there is one. The caller holds the lock.
func (at *lane) endWait() {
	if at.wait != nil {
		at.wait.Stop()
	}

	at.wait, at.patient = nil, false
}
