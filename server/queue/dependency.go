package queue

import "time"

// Dependency is something that evaluations need, as the queue sees it.
type Dependency struct {
	// Name is what Config called it.
	Name string
	// State says whether it is there.
	State BreakerState
	// Message is the failure that showed that it was not; empty while it is there.
	Message string
	// Since is when it was first missed; zero while it is there.
	Since time.Time
	// Trips counts how often it was found missing after it had been there. Probes that fail are not among them.
	Trips uint64
}

// Dependencies returns what evaluations need, in the order of the Config.
func (q *Queue) Dependencies() []Dependency {
	q.lock()
	defer q.unlock()

	at := q.now()
	dependencies := make([]Dependency, 0, len(q.breakers))

	for i := range q.breakers {
		b := &q.breakers[i]
		b.settle(at, &q.cfg.Breaker)

		d := Dependency{Name: b.name, State: b.state, Message: b.message, Trips: b.trips}

		if b.state != Closed {
			d.Since = q.clock.time(b.since)
		}

		dependencies = append(dependencies, d)
	}

	return dependencies
}

// Setback is what becomes of an item whose evaluation failed. It is zero when the service was forgotten meanwhile, or the
// lease completed before.
type Setback struct {
	// Again is when it is due again, unless it was given up.
	Again time.Time
	// GaveUp means that it was one failure too many.
	GaveUp bool
	// Waits means that a dependency is held to be missing: the item waits for it, and the failure does not count as the
	// service's. Opened means that it was this failure that showed it.
	Waits, Opened bool
}

// Unavailable completes the lease with a failure that looks like the dependency's. It is taken for the service's own, as
// by Retry, unless the dependency is held to be missing because others fail for want of it too.
func (l Lease) Unavailable(dependency string, err error) Setback {
	var setback Setback

	text := describe(err)

	e := &ending{completion: unavailable, dependency: dependency, text: text}

	l.complete(e, func(q *Queue, r *run, it *item) {
		b := q.breaker(dependency)
		if b == nil || b.state == Closed && !b.outlived(r) {
			e.completion = retried // as far as anybody can tell it is the service's own failure
			setback.Again, setback.GaveUp = q.retry(r, it, text)

			return
		}

		q.await(r, it, b)
		setback = Setback{Again: q.clock.time(it.due), Waits: true, Opened: b.opener == r.id && b.tripped}
	})

	return setback
}

// await lets an item wait for a dependency.
func (q *Queue) await(r *run, it *item, b *breaker) {
	q.takeBack(r, it)

	if b.opener == r.id {
		// To the back of its class: an item that fails whatever the dependency does would else be every probe.
		it.due = max(it.due, q.now()+q.cfg.Slack.of(it.class))
	}

	if b.state != Recovering || b.outlived(r) {
		q.makeReady(it)

		return
	}

	// The dependency answers others. Whose fault it was will be seen when the recovery is over.
	it.past().deadline = it.due
	q.delayUntil(it, q.now()+int64(q.cfg.Breaker.RecoveryTime), Waiting)
}

// hear tells the breakers how an evaluation ended.
func (q *Queue) hear(r *run, e *ending) {
	for i := range q.breakers {
		b := &q.breakers[i]

		switch {
		case r.forgotten || e.completion == released:
			b.unsettled(r, q.now()) // it was cut off
		case e.completion == unavailable && b.name == e.dependency:
			b.failed(r, q.now(), e.text, &q.cfg.Breaker, q.probeDelay)
		case e.completion == unavailable:
			b.unsettled(r, q.now()) // it may not have come as far as to need this one
		case b.failures > 0 || b.state == Probing:
			b.answered(r, q.now())
		}
	}

	if q.gated || e.completion == unavailable {
		q.regate(q.now())
	}
}

// probeDelay returns the time until the next probe, after a dependency was found missing so many times in a row.
func (q *Queue) probeDelay(openings int) int64 {
	ceiling := q.cfg.Breaker.Probe.ceiling(openings)

	return ceiling - q.cfg.Rand(ceiling/2+1)
}

func (q *Queue) breaker(dependency string) *breaker {
	for i := range q.breakers {
		if q.breakers[i].name == dependency {
			return &q.breakers[i]
		}
	}

	return nil
}
