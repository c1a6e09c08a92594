package queue_test

import (
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// handOut starts the run of a ready item.
func (m *model) handOut(service string) {
	it := m.items[service]
	m.unready(service)
	it.lease = &modelLease{
		wanted: it.wanted, revision: it.revision, deadline: it.deadline, class: it.class,
		started: time.Now(), attempts: it.attempts,
	}
	it.state, it.wanted, it.revision = queue.Running, nil, 0
	m.pass(it.lease)
}

// end ends the lease and reports that its outcome counts. The breakers learn how it ended.
func (m *model) end(service string, how ending) (*modelItem, *modelLease, bool) {
	it := m.items[service]
	lease := it.lease
	it.lease = nil
	m.hear(lease, how)

	if lease.forgotten {
		it.attempts = 0
		m.goOn(service)
	}

	return it, lease, !lease.forgotten
}

func (m *model) goOn(service string) {
	it := m.items[service]
	if len(it.wanted) == 0 {
		delete(m.items, service)
	} else {
		m.setReady(service, it.deadline, it.class)
	}
}

func (m *model) succeed(service string) {
	if it, _, counts := m.end(service, ending{answered: true}); counts {
		it.attempts = 0
		m.goOn(service)
	}
}

func (m *model) release(service string) {
	if it, lease, counts := m.end(service, ending{}); counts {
		it.takeBack(lease)
		m.setReady(service, it.deadline, it.class)
	}
}

// retry returns what Retry must, when the jitter is the given share of the longest delay.
func (m *model) retry(service string, delay func(longest time.Duration) time.Duration) (time.Time, bool) {
	m.retried++

	it, lease, counts := m.end(service, ending{answered: true})
	if !counts {
		return time.Time{}, false
	}

	return m.setBack(service, it, lease, delay)
}

// setBack counts a failure that may pass.
func (m *model) setBack(
	service string, it *modelItem, lease *modelLease, delay func(longest time.Duration) time.Duration,
) (time.Time, bool) {
	it.fail()

	if it.attempts >= m.cfg.BackoffLimit {
		m.gaveUp++
		m.giveUp(service, it, lease)

		return time.Time{}, true
	}

	urged := it.wants(queue.Manual)
	it.takeBack(lease)

	if urged {
		m.jumped++
		m.setReady(service, it.deadline, it.class)

		return it.deadline, false
	}

	it.state, it.until = queue.BackingOff, time.Now().Add(delay(longest(m.cfg.Backoff, it.attempts)))

	return it.until, false
}

func (m *model) fail(service string) {
	if it, lease, counts := m.end(service, ending{answered: true}); counts {
		it.fail()
		m.giveUp(service, it, lease)
	}
}

func (it *modelItem) fail() {
	it.attempts++
	it.lastError = errTrouble.Error()
}

// longest returns the longest delay after so many failures.
func longest(b queue.Backoff, failures int) time.Duration {
	delay := b.Base
	for range failures - 1 {
		delay = min(2*delay, b.Cap)
	}

	return delay
}

func (m *model) giveUp(service string, it *modelItem, lease *modelLease) {
	it.state, it.probe = queue.Failed, time.Now().Add(m.cfg.Backoff.Cap)

	switch {
	case len(it.wanted) == 0:
		it.takeBack(lease)
	case it.wants(queue.Manual):
		m.jumped++
		it.attempts = 0
		m.setReady(service, it.deadline, it.class)
	default:
		it.until = it.probe
	}
}

func (m *model) forget(service string) {
	it := m.items[service]

	switch {
	case it == nil:
	case it.lease != nil:
		it.lease.forgotten = true
		it.wanted, it.revision, it.attempts = nil, 0, 0
	default:
		if it.ready {
			m.unready(service)
		}

		delete(m.items, service)
	}
}

// postpone returns what Postpone must.
func (m *model) postpone(service string, until time.Time) bool {
	it := m.items[service]
	if it == nil || it.state != queue.Waiting && it.state != queue.BackingOff {
		return false
	}

	if it.ready {
		m.unready(service)
	}

	it.until = until

	return true
}

func (it *modelItem) takeBack(lease *modelLease) {
	if len(it.wanted) == 0 || lease.deadline.Before(it.deadline) {
		it.deadline, it.class = lease.deadline, lease.class
	}

	it.wanted = mergeRecords(lease.wanted, it.wanted)
	it.revision = max(it.revision, lease.revision)
}

func (it *modelItem) wants(t queue.Trigger) bool {
	for _, r := range it.wanted {
		if r.Trigger == t {
			return true
		}
	}

	return false
}

// item returns what Item must.
func (m *model) item(service string) (queue.Item, bool) {
	it := m.items[service]
	if it == nil {
		return queue.Item{}, false
	}

	out := queue.Item{
		Service: service, State: it.state, Attempts: it.attempts, Revision: it.revision,
		Triggers: it.wanted, Due: it.deadline,
	}

	if it.attempts > 0 {
		out.LastError = it.lastError
	}

	switch {
	case it.lease != nil:
		out.Started = it.lease.started
		out.Triggers = append(append([]queue.Record(nil), it.lease.wanted...), it.wanted...)
		out.Revision = max(it.revision, it.lease.revision)

		if len(it.wanted) == 0 {
			out.Due = it.lease.deadline
		}
	case !it.until.IsZero():
		out.Due = it.until
	case it.state == queue.Failed:
		out.Due = time.Time{}
	}

	for _, r := range out.Triggers {
		if out.Enqueued.IsZero() || r.Enqueued.Before(out.Enqueued) {
			out.Enqueued = r.Enqueued
		}
	}

	return out, true
}
