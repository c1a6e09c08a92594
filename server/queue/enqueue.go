package queue

import "unique"

// Enqueue takes a request in and says what became of it. It never waits for the work. The error is a *RefusedError, or
// ErrInvalidRequest.
func (q *Queue) Enqueue(r Request) (Result, error) {
	hash := q.items.hash(r.Service)

	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.items.find(r.Service, hash)
	if err := q.admit(&r, it); err != nil {
		return Result{}, err
	}

	at := q.now()
	p := q.plan(it, r.Trigger, at)

	if it == nil {
		it = q.create(r.Service, hash)
	}

	q.follow(&p, it, &r, at)
	q.stats.requests[r.Trigger][p.outcome]++

	return q.answer(&p), nil
}

// Preview says what Enqueue would, and changes nothing.
func (q *Queue) Preview(r Request) (Result, error) {
	hash := q.items.hash(r.Service)

	q.mu.Lock()
	defer q.mu.Unlock()

	it := q.items.find(r.Service, hash)
	if err := q.check(&r, it); err != nil {
		return Result{}, err
	}

	p := q.plan(it, r.Trigger, q.now())

	return q.answer(&p), nil
}

func (q *Queue) answer(p *plan) Result {
	return Result{Outcome: p.outcome, Due: q.clock.time(p.due), Attempts: p.attempts}
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
	case q.pauses[Accepting] != nil && q.paused(Accepting, q.now()):
		return q.refusal(q.pauses[Accepting], q.now())
	case it == nil && q.items.len() >= q.cfg.limit(r.Trigger):
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

	same := it.wanted.find(r.Trigger, r.Source)
	if same == nil {
		it.wanted.add(record{
			source: q.source(r), detail: r.Detail,
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

// source returns the shared form of a request's source. Those of one trigger mostly come from the same.
func (q *Queue) source(r *Request) unique.Handle[string] {
	latest := &q.sources[r.Trigger]
	if *latest == (unique.Handle[string]{}) || latest.Value() != r.Source {
		*latest = unique.Make(r.Source)
	}

	return *latest
}
