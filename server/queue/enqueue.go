package queue

import (
	"time"
	"unique"
)

// Enqueue takes a request in and says what became of it. It never waits for the work. The error is a *RefusedError, or
// ErrInvalidRequest.
func (q *Queue) Enqueue(r Request) (Result, error) {
	now := time.Now()

	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.items[r.Service]
	if err := q.admit(&r, it); err != nil {
		return Result{}, err
	}

	p := q.plan(it, r.Trigger, q.at(now))
	if it == nil {
		it = q.create(r.Service)
	}

	q.follow(p, it, &r, now)
	q.stats.requests[r.Trigger][p.outcome]++

	return Result{Outcome: p.outcome, Due: q.timeOf(p.due, now), Attempts: it.attempts()}, nil
}

// Preview says what Enqueue would, and changes nothing.
func (q *Queue) Preview(r Request) (Result, error) {
	now := time.Now()

	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.items[r.Service]
	if err := q.check(&r, it); err != nil {
		return Result{}, err
	}

	p := q.plan(it, r.Trigger, q.at(now))

	return Result{Outcome: p.outcome, Due: q.timeOf(p.due, now), Attempts: p.attempts}, nil
}

// admit is check with the refusals counted.
func (q *Queue) admit(r *Request, it *item) error {
	err := q.check(r, it)
	if err != nil && r.Trigger.valid() {
		q.stats.refused[r.Trigger]++
	}

	return err
}

// check returns why a request is not taken, if it is not.
func (q *Queue) check(r *Request, it *item) error {
	switch {
	case r.Service == "" || !r.Trigger.valid():
		return ErrInvalidRequest
	case q.stopped:
		return &RefusedError{Reason: ErrShuttingDown, RetryAfter: q.cfg.RetryAfter}
	case it == nil && len(q.items) >= q.cfg.limit(r.Trigger):
		return &RefusedError{Reason: ErrFull, RetryAfter: q.cfg.RetryAfter}
	default:
		return nil
	}
}

// create makes the item of a service that has none.
func (q *Queue) create(service string) *item {
	it := &item{service: service, tenant: q.tenants.of(service), index: nowhere}
	q.items[service] = it
	it.tenant.depth[Waiting]++
	q.stats.depth[Waiting]++

	return it
}

// note merges a request into what an item is wanted for.
func (q *Queue) note(it *item, r *Request, now time.Time) {
	it.revision = max(it.revision, r.Revision)

	enqueued, observed := now.UnixNano(), now.UnixNano()
	if !r.Observed.IsZero() {
		observed = r.Observed.UnixNano()
	}

	same := it.wanted.find(r.Trigger, r.Source)
	if same == nil {
		it.wanted.add(record{
			source: unique.Make(r.Source), detail: r.Detail,
			observed: observed, enqueued: enqueued, count: 1, trigger: r.Trigger,
		})

		return
	}

	same.count++
	same.observed = min(same.observed, observed)

	if r.Detail != "" {
		same.detail = r.Detail
	}
}
