package agent

import (
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// hold is why a value is kept back although the actuator would take it.
type hold int

const (
	notHeld hold = iota
	// heldClosed waits until the agent may act at all: it is paused, or the stop file exists.
	heldClosed
	// heldLimited waits until the number of changes within a minute allows another.
	heldLimited
	// heldOutdated waits until the server has renewed the value.
	heldOutdated
	holds
)

// told is what was said already about a value that is held.
type told struct {
	revision int64
	holds    [holds]bool
}

// back gives an action up that has not begun, to be taken again at once.
func (l *lanes) back(recommendation *tidemarkv1.Recommendation) {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.returned(recommendation)
	if at.next != nil {
		l.wake(at)
	}

	l.tidy(at)
}

// keep gives an action up that has not begun, until it is released; a newer value that is there by now is ready instead.
// It returns the reason unless that was returned for this revision before, or nothing is kept.
func (l *lanes) keep(recommendation *tidemarkv1.Recommendation, why hold) hold {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.returned(recommendation)

	switch at.next {
	case nil:
		l.tidy(at)
	case recommendation:
		at.hold = why
		l.held[why].push(at)

		return at.tell(why)
	default:
		l.wake(at)
	}

	return notHeld
}

// keepFor is like keep, until the delay is over or there is a newer value.
func (l *lanes) keepFor(recommendation *tidemarkv1.Recommendation, delay time.Duration) hold {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.returned(recommendation)

	switch at.next {
	case nil:
		l.tidy(at)
	case recommendation:
		at.patient = true
		l.startWait(at, delay)

		return at.tell(heldOutdated)
	default:
		l.wake(at)
	}

	return notHeld
}

// release makes as many of what is held for that reason ready, and returns how many are left.
func (l *lanes) release(why hold, most int) int {
	l.mu.Lock()
	defer l.mu.Unlock()

	for range min(most, l.held[why].len()) {
		l.wake(l.held[why].pop())
	}

	return l.held[why].len()
}

// keeps returns how many are held for that reason.
func (l *lanes) keeps(why hold) int {
	l.mu.Lock()
	defer l.mu.Unlock()

	return l.held[why].len()
}

// tell returns the reason if it is news for the value that comes next. The caller holds the lock.
func (at *lane) tell(why hold) hold {
	if at.told.revision != at.next.GetRevision() {
		at.told = told{revision: at.next.GetRevision()}
	}

	if at.told.holds[why] {
		return notHeld
	}

	at.told.holds[why] = true

	return why
}
