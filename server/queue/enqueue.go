package queue

import (
	"time"
	"unique"
)

// Enqueue takes a request in and says what became of it. It never waits for the work. Of the request it keeps nothing but
// the strings, when it has returned. The error is a *RefusedError, or ErrInvalidRequest.
func (q *Queue) Enqueue(r *Request) (Result, error) {
	hash := q.items.hash(r.Service)

	reading, novel := int64(0), q.novel.Load()
	if novel {
		reading = q.clock.read()
	}

	q.lock()

	it := q.items.find(r.Service, hash)
	if (it == nil) != novel {
		q.novel.Store(it == nil)
	}

	if it != nil && q.repeat(it, r) {
		due := q.clock.day(it.due)
		q.unlock()

		return Result{Outcome: Merged, Due: time.Unix(0, due)}, nil
	}

	if !novel {
		reading = q.clock.read()
	}

	return q.enqueue(it, r, hash, reading)
}

// enqueue is Enqueue for what is more than a repeat, given the service's item if it has one. It gives up the lock.
func (q *Queue) enqueue(it *item, r *Request, hash uint32, reading int64) (Result, error) {
	defer q.unlock()

	at := q.tick(reading)
	if err := q.admit(r, it, at); err != nil {
		return Result{}, err
	}

	if it == nil {
		return Result{Outcome: Queued, Due: q.clock.time(q.begin(r, hash, at).due)}, nil
	}

	return q.merge(it, r, at), nil
}

// repeatsPerTick is how many repeats there are for one reading of the clock.
const repeatsPerTick = 32

// repeat merges a request that changes nothing but what an item is wanted for, which most do when a source says again
// what it has said before. It reports false, and has done nothing, when there may be more to it.
func (q *Queue) repeat(it *item, r *Request) bool {
	if !it.wanted.first.repeatable || q.stopped || q.pauses[Accepting] != nil {
		return false
	}

	same := it.wanted.find(r.Trigger, r.Source)
	if same == nil {
		return false
	}

	// Time goes on: it is not earlier now than at the latest reading of the clock.
	switch now := q.clock.latest; {
	case now+q.cfg.Slack.of(r.Trigger) < it.due:
		return false
	case !r.Observed.IsZero():
		same.observed = min(same.observed, r.Observed.UnixNano())
	case same.observed > q.clock.day(now):
		return false
	}

	same.repeat(r.Detail)

	if r.Revision != 0 {
		it.revision = max(it.revision, r.Revision)
	}

	repeats := &q.stats.repeats[r.Trigger]
	*repeats++

	// The clock is read now and then all the same, so that the rates know of repeats too.
	if *repeats%repeatsPerTick == 0 {
		q.now()
	}

	return true
}

// begin makes an item for a service that has none, as plan says.
func (q *Queue) begin(r *Request, hash uint32, at int64) *item {
	it := q.create(r.Service, hash)
	it.due, it.class = at+q.cfg.Slack.of(r.Trigger), r.Trigger
	q.note(it, r, at)
	q.makeReady(it)
	q.stats.requests[r.Trigger][Queued]++

	return it
}

// merge takes in a request for a service that has an item.
func (q *Queue) merge(it *item, r *Request, at int64) Result {
	p := q.plan(it, r.Trigger, at)
	q.follow(&p, it, r, at)
	q.stats.requests[r.Trigger][p.outcome]++

	return q.answer(&p)
}

// Preview says what Enqueue would, and changes nothing.
func (q *Queue) Preview(r *Request) (Result, error) {
	hash := q.items.hash(r.Service)

	q.lock()
	defer q.unlock()

	it, at := q.items.find(r.Service, hash), q.now()
	if err := q.check(r, it, at); err != nil {
		return Result{}, err
	}

	p := q.plan(it, r.Trigger, at)

	return q.answer(&p), nil
}

func (q *Queue) answer(p *plan) Result {
	return Result{Outcome: p.outcome, Due: q.clock.time(p.due), Attempts: p.attempts}
}

// admit is check with the refusals counted.
func (q *Queue) admit(r *Request, it *item, at int64) error {
	err := q.check(r, it, at)
	if err != nil && r.Trigger.valid() {
		q.stats.refused[r.Trigger]++
	}

	return err
}

// check returns why a request is not taken, if it is not.
func (q *Queue) check(r *Request, it *item, at int64) error {
	switch {
	case !r.valid():
		return ErrInvalidRequest
	case q.stopped:
		return &RefusedError{Reason: ErrShuttingDown, RetryAfter: q.cfg.RetryAfter}
	case r.Accepted:
		return nil
	case q.pauses[Accepting] != nil && q.paused(Accepting, at):
		return q.refusal(q.pauses[Accepting], at)
	case it == nil && q.items.len()+q.reserved >= q.cfg.limit(r.Trigger):
		return &RefusedError{Reason: ErrFull, RetryAfter: q.cfg.RetryAfter}
	default:
		return nil
	}
}

// note merges a request into what an item is wanted for.
func (q *Queue) note(it *item, r *Request, at int64) {
	it.revision = max(it.revision, r.Revision)

	enqueued := q.clock.day(at)
	observed := enqueued

	if !r.Observed.IsZero() {
		observed = r.Observed.UnixNano()
	}

	if it.wanted.empty() {
		// Field by field: a record that is made elsewhere first is as dear as all the rest.
		first := &it.wanted.first
		first.source, first.detail = q.source(r), r.Detail
		first.observed, first.enqueued = observed, enqueued
		first.count, first.trigger = 1, r.Trigger

		return
	}

	same := it.wanted.find(r.Trigger, r.Source)
	if same != nil {
		same.observed = min(same.observed, observed)
		same.repeat(r.Detail)

		return
	}

	it.wanted.add(record{
		source: q.source(r), detail: r.Detail, observed: observed, enqueued: enqueued, count: 1, trigger: r.Trigger,
	})
}

// source returns the shared form of a request's source. Those of one trigger mostly come from the same.
func (q *Queue) source(r *Request) unique.Handle[string] {
	latest := &q.sources[r.Trigger]
	if *latest == (unique.Handle[string]{}) || latest.Value() != r.Source {
		*latest = unique.Make(r.Source)
	}

	return *latest
}
