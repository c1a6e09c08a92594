package agent

import (
	"container/list"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// maxAskedDelay bounds the wait that an actuator asks for: newer values wait as well.
const maxAskedDelay = time.Hour

// lanes is what waits to be done: per service one value, the newest, and never two under way. It is as large as the
// number of services that wait, however much has happened.
type lanes struct {
	minDelay, maxDelay time.Duration

	mu     sync.Mutex
	some   sync.Cond // ready is not empty, or closed
	lanes  map[string]*lane
	ready  turns
	held   [holds]turns
	closed bool
}

// lane is one service. It exists while there is something to do for it.
type lane struct {
	service string
	next    *tidemarkv1.Recommendation // to be handed over next; nil when there is none
	busy    bool                       // an action is under way
	dropped bool                       // that action is not to be repeated

	// Where the lane has its turn; nil while it is busy, waits for a timer, or has nothing to do.
	part  *list.List
	place *list.Element

	renewed *tidemarkv1.Recommendation // the value under way, with the server's newest times; nil when those are known

	wait    *time.Timer // makes it ready; nil when it need not wait
	waits   int         // how many waits there were, so that one that is over is told from the present one
	patient bool        // a newer value ends the wait
	delay   *backoff.ExponentialBackOff

	hold hold // why it is held
	told told // what was said about that
}

func newLanes(minDelay, maxDelay time.Duration) *lanes {
	l := &lanes{minDelay: minDelay, maxDelay: maxDelay, lanes: make(map[string]*lane)}
	l.some.L = &l.mu

	return l
}

// put makes the recommendation the one that is handed over next for its service. If the service is held, it returns why,
// unless that was returned for this revision before.
func (l *lanes) put(recommendation *tidemarkv1.Recommendation) hold {
	l.mu.Lock()
	defer l.mu.Unlock()

	service := recommendation.GetService()

	at, exists := l.lanes[service]
	if !exists {
		at = &lane{service: service}
		l.lanes[service] = at
	}

	at.next, at.dropped = recommendation, false

	if at.wait != nil && at.patient {
		at.endWait()
	}

	switch {
	case at.busy || at.wait != nil:
		return notHeld
	case at.hold == heldClosed || at.hold == heldLimited:
		l.held[at.hold].push(at)

		return at.tell(at.hold)
	default:
		l.wake(at)

		return notHeld
	}
}

// renew replaces what is to be handed over next, or again, if it says the same: its times are newer. What waits for just
// that is ready then.
func (l *lanes) renew(recommendation *tidemarkv1.Recommendation) {
	l.mu.Lock()
	defer l.mu.Unlock()

	at, exists := l.lanes[recommendation.GetService()]

	switch {
	case !exists:
	case at.next == nil:
		at.renewed = recommendation
	case sameAdvice(at.next, recommendation):
		at.next = recommendation

		if at.patient || at.hold == heldOutdated {
			at.endWait()
			l.wake(at)
		}
	}
}

// drop makes nothing be handed over next for the service, nor again what is under way.
func (l *lanes) drop(service string) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if at, exists := l.lanes[service]; exists {
		at.next, at.dropped, at.hold = nil, at.busy, notHeld
		at.leave()

		if at.patient {
			at.endWait()
		}

		l.tidy(at)
	}
}

// take waits for something to do and returns it, or nil after close. The service is busy until done, failed, back, keep
// or keepFor.
func (l *lanes) take() *tidemarkv1.Recommendation {
	l.mu.Lock()
	defer l.mu.Unlock()

	for l.ready.len() == 0 && !l.closed {
		l.some.Wait()
	}

	if l.closed {
		return nil
	}

	at := l.ready.pop()
	recommendation := at.next
	at.busy, at.next = true, nil

	return recommendation
}

// done says that the action is over and need not be repeated.
func (l *lanes) done(recommendation *tidemarkv1.Recommendation) {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.lanes[recommendation.GetService()]
	at.busy, at.dropped, at.delay, at.renewed = false, false, nil, nil

	if at.next != nil {
		l.wake(at)
	}

	l.tidy(at)
}

// failed says that the action is over and has to be repeated, not before the asked delay, of which an hour counts at most;
// with a newer value if there is one by then. It returns how long that will be.
func (l *lanes) failed(recommendation *tidemarkv1.Recommendation, asked time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.returned(recommendation)

	if at.delay == nil {
		at.delay = backoff.NewExponentialBackOff()
		at.delay.InitialInterval, at.delay.MaxInterval, at.delay.Multiplier = l.minDelay, l.maxDelay, 2
		at.delay.Reset()
	}

	delay := max(min(asked, maxAskedDelay), at.delay.NextBackOff())
	at.patient = false
	l.startWait(at, delay)

	return delay
}

// close makes take return nil.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.closed = true
	l.some.Broadcast()

	for _, at := range l.lanes {
		at.endWait()
	}
}

// returned ends an action that may be repeated: its value is the next one again, unless there is a newer one or it was
// dropped meanwhile. The caller holds the lock.
func (l *lanes) returned(recommendation *tidemarkv1.Recommendation) *lane {
	at := l.lanes[recommendation.GetService()]

	if at.next == nil && !at.dropped {
		at.next = recommendation

		if at.renewed != nil && sameAdvice(recommendation, at.renewed) {
			at.next = at.renewed
		}
	}

	at.busy, at.dropped, at.renewed = false, false, nil

	return at
}

// wake makes a lane ready. The caller holds the lock.
func (l *lanes) wake(at *lane) {
	at.hold = notHeld
	l.ready.push(at)
	l.some.Signal()
}

// tidy forgets a lane that has nothing to do and nothing to wait for. The caller holds the lock.
func (l *lanes) tidy(at *lane) {
	if at.next == nil && !at.busy && at.wait == nil {
		delete(l.lanes, at.service)
	}
}
