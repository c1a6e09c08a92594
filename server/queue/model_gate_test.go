package queue_test

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// modelBreaker is a dependency as the model sees it.
type modelBreaker struct {
	name               string
	state              queue.BreakerState
	failures, openings int
	// opens is when the next item may be handed out while it is open or recovering.
	opens           time.Time
	probe, opener   *modelLease
	recovery, since time.Time
	message         string
	trips           uint64
	tripped         bool
}

// ending is what the end of an evaluation tells about the dependencies: that all answered, that one did not, or nothing.
type ending struct {
	answered bool
	missing  string
}

// paused reports whether a pause is in force.
func (m *model) paused(scope queue.Scope) bool {
	p, ordered := m.pauses[scope]

	return ordered && (p.Until.IsZero() || p.Until.After(time.Now()))
}

// shut reports whether something keeps every item from being handed out.
func (m *model) shut() bool {
	shut := m.paused(queue.Evaluating)
	for _, b := range m.breakers {
		shut = shut || b.state == queue.Probing || b.state != queue.Closed && b.opens.After(time.Now())
	}

	return shut
}

// pass notes a hand-out.
func (m *model) pass(lease *modelLease) {
	cfg := m.cfg.Breaker

	for _, b := range m.breakers {
		switch b.state {
		case queue.Open:
			b.state, b.probe = queue.Probing, lease
		case queue.Recovering:
			rate := cfg.RecoveryRate * math.Exp2(math.Floor(time.Since(b.recovery).Seconds()))
			b.opens = time.Now().Add(time.Duration(float64(time.Second) / rate))
		case queue.Closed, queue.Probing:
		}
	}
}

// settle closes what has recovered.
func (m *model) settle() {
	for _, b := range m.breakers {
		if b.state == queue.Recovering && time.Since(b.recovery) >= m.cfg.Breaker.RecoveryTime {
			*b = modelBreaker{name: b.name, trips: b.trips, recovery: b.recovery}
		}
	}
}

// hear notes what the end of an evaluation tells.
func (m *model) hear(lease *modelLease, how ending) {
	for _, b := range m.breakers {
		switch {
		case how.answered && !lease.forgotten:
			b.failures = 0

			if b.probe == lease {
				b.state, b.probe, b.opener = queue.Recovering, nil, nil
				b.recovery, b.opens = time.Now(), time.Now()
			}
		case how.missing == b.name && !lease.forgotten:
			m.miss(b, lease)
		case b.probe == lease:
			b.state, b.probe, b.opens = queue.Open, nil, time.Now()
		}
	}
}

// miss notes that an evaluation failed for want of a dependency.
func (m *model) miss(b *modelBreaker, lease *modelLease) {
	switch {
	case b.probe == lease:
	case b.state == queue.Open, b.state == queue.Probing, lease.started.Before(b.recovery):
		return
	default:
		if b.failures++; b.failures < m.cfg.Breaker.Threshold {
			return
		}
	}

	if b.state == queue.Closed {
		b.since = time.Now()
	}

	if b.tripped = b.state != queue.Probing; b.tripped {
		b.trips++
	}

	b.state, b.probe, b.opener, b.message = queue.Open, nil, lease, errTrouble.Error()
	b.openings++
	b.opens = time.Now().Add(m.probeDelay(longest(m.cfg.Breaker.Probe, b.openings)))
}

// missed returns what Unavailable must.
func (m *model) missed(
	service, dependency string, delay func(longest time.Duration) time.Duration,
) queue.Setback {
	it, lease, counts := m.end(service, ending{missing: dependency})
	if !counts {
		m.unavailable++

		return queue.Setback{}
	}

	b := m.breaker(dependency)
	if b == nil || b.state == queue.Closed && !lease.started.Before(b.recovery) {
		m.retried++
		again, gaveUp := m.setBack(service, it, lease, delay)

		return queue.Setback{Again: again, GaveUp: gaveUp}
	}

	m.unavailable++
	it.takeBack(lease)

	if back := time.Now().Add(m.slack(it.class)); b.opener == lease && back.After(it.deadline) {
		it.deadline = back
	}

	again := it.deadline

	if b.state == queue.Recovering && !lease.started.Before(b.recovery) {
		again = time.Now().Add(m.cfg.Breaker.RecoveryTime)
		it.state, it.until = queue.Waiting, again
	} else {
		m.setReady(service, it.deadline, it.class)
	}

	return queue.Setback{Again: again, Waits: true, Opened: b.opener == lease && b.tripped}
}

func (m *model) breaker(dependency string) *modelBreaker {
	for _, b := range m.breakers {
		if b.name == dependency {
			return b
		}
	}

	return nil
}

// dependencies returns what Dependencies must.
func (m *model) dependencies() []queue.Dependency {
	dependencies := make([]queue.Dependency, 0, len(m.breakers))
	for _, b := range m.breakers {
		dependencies = append(dependencies, queue.Dependency{
			Name: b.name, State: b.state, Message: b.message, Since: b.since, Trips: b.trips,
		})
	}

	return dependencies
}
