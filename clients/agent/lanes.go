package agent

import (
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// lanes is what waits to be done: per service one value, the newest, and never two under way. It is as large as the
// number of services that wait, however much has happened.
type lanes struct {
	minDelay, maxDelay time.Duration

	mu     sync.Mutex
	some   sync.Cond // ready is not empty, or closed
	lanes  map[string]*lane
	ready  []*lane
	closed bool
}

// lane is one service. It exists while there is something to do for it.
type lane struct {
	service string
	next    *tidemarkv1.Recommendation // to be handed over next; nil when there is none
	busy    bool                       // an action is under way
	dropped bool                       // that action is not to be repeated
	retry   *time.Timer                // makes it ready after a failure; nil when it need not wait
	delay   *backoff.ExponentialBackOff
}

func newLanes(minDelay, maxDelay time.Duration) *lanes {
	l := &lanes{minDelay: minDelay, maxDelay: maxDelay, lanes: make(map[string]*lane)}
	l.some.L = &l.mu

	return l
}

// put makes the recommendation the one that is handed over next for its service.
func (l *lanes) put(recommendation *tidemarkv1.Recommendation) {
	l.mu.Lock()
	defer l.mu.Unlock()

	service := recommendation.GetService()

	at, exists := l.lanes[service]
	if !exists {
		at = &lane{service: service}
		l.lanes[service] = at
	}

	fresh := at.next == nil
	at.next, at.dropped = recommendation, false

	if fresh && !at.busy && at.retry == nil {
		l.wake(at)
	}
}

// drop makes nothing be handed over next for the service, nor again what is under way.
func (l *lanes) drop(service string) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if at, exists := l.lanes[service]; exists {
		at.next, at.dropped = nil, at.busy
		l.tidy(at)
	}
}

// take waits for something to do and returns it, or nil after close. The service is busy until done.
func (l *lanes) take() *tidemarkv1.Recommendation {
	l.mu.Lock()
	defer l.mu.Unlock()

	for {
		for len(l.ready) == 0 && !l.closed {
			l.some.Wait()
		}

		if l.closed {
			return nil
		}

		at := l.ready[0]
		l.ready[0] = nil
		l.ready = l.ready[1:]

		// It may have been dropped since it was made ready.
		if at.next == nil {
			continue
		}

		at.busy = true
		recommendation := at.next
		at.next = nil

		return recommendation
	}
}

// done says that the action is over and need not be repeated.
func (l *lanes) done(recommendation *tidemarkv1.Recommendation) {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.lanes[recommendation.GetService()]
	at.busy, at.dropped, at.delay = false, false, nil

	if at.next != nil {
		l.wake(at)
	}

	l.tidy(at)
}

// failed says that the action is over and has to be repeated, not before the asked delay; with a newer value if there is
// one by then. It returns how long that will be.
func (l *lanes) failed(recommendation *tidemarkv1.Recommendation, asked time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()

	at := l.lanes[recommendation.GetService()]

	if at.next == nil && !at.dropped {
		at.next = recommendation
	}

	at.busy, at.dropped = false, false

	if at.delay == nil {
		at.delay = backoff.NewExponentialBackOff()
		at.delay.InitialInterval, at.delay.MaxInterval, at.delay.Multiplier = l.minDelay, l.maxDelay, 2
		at.delay.Reset()
	}

	delay := max(asked, at.delay.NextBackOff())

	if !l.closed {
		at.retry = time.AfterFunc(delay, func() { l.again(at) })
	}

	return delay
}

// again ends the wait after a failure.
func (l *lanes) again(at *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()

	at.retry = nil

	if at.next != nil && !l.closed {
		l.wake(at)
	}

	l.tidy(at)
}

// close makes take return nil.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.closed = true
	l.some.Broadcast()

	for _, at := range l.lanes {
		if at.retry != nil {
			at.retry.Stop()
		}
	}
}

// wake makes a lane ready. The caller holds the lock.
func (l *lanes) wake(at *lane) {
	l.ready = append(l.ready, at)
	l.some.Signal()
}

// tidy forgets a lane that has nothing to do and nothing to wait for. The caller holds the lock.
func (l *lanes) tidy(at *lane) {
	if at.next == nil && !at.busy && at.retry == nil {
		delete(l.lanes, at.service)
	}
}
