package queue

import (
	"strings"
	"time"
)

// Succeed completes the lease with success: what is known of the service's failures is forgotten. It does not wait for
// others who use the queue.
func (l Lease) Succeed() {
	q := l.queue
	if !q.mu.TryLock() {
		q.leaveSuccess(l.run, l.id)

		return
	}

	defer q.unlock()

	q.finish(l.run, l.id, &ending{completion: succeeded}, succeed)
}

func succeed(q *Queue, _ *run, it *item) {
	it.history = nil
	q.goOn(it)
}

// Retry completes the lease with a failure that may pass. It returns when the item is due again, or that it was given
// up because there were too many. The time is zero also when the service was forgotten meanwhile.
func (l Lease) Retry(err error) (again time.Time, gaveUp bool) {
	text := describe(err)

	l.complete(&ending{completion: retried}, func(q *Queue, r *run, it *item) {
		again, gaveUp = q.retry(r, it, text)
	})

	return again, gaveUp
}

// Fail completes the lease with a failure that a retry cannot mend: the item is Failed at once.
func (l Lease) Fail(err error) {
	text := describe(err)

	l.complete(&ending{completion: failed}, func(q *Queue, r *run, it *item) {
		it.past().fail(text)
		q.giveUp(r, it)
	})
}

// Release gives the item back as it was: the evaluation was cancelled, which is not a failure.
func (l Lease) Release() {
	l.complete(&ending{completion: released}, func(q *Queue, r *run, it *item) {
		q.takeBack(r, it)
		q.makeReady(it)
	})
}

// ending is how a lease is completed.
type ending struct {
	completion completion
	// dependency is what was not there, and text what it said, for unavailable.
	dependency, text string
}

// complete ends the lease and lets settle decide what becomes of the item, which then lies nowhere. It may change the
// ending to what it has come to.
func (l Lease) complete(e *ending, settle func(*Queue, *run, *item)) {
	l.queue.lock()
	defer l.queue.unlock()

	l.queue.finish(l.run, l.id, e, settle)
}

// finish is complete for who has the lock.
func (q *Queue) finish(r *run, id uint64, e *ending, settle func(*Queue, *run, *item)) {
	if r.id != id {
		q.stats.stray++

		return
	}

	it := r.item
	it.run = 0
	q.base.Done(it)
	q.hear(r, e)

	if r.forgotten {
		it.history = nil
		q.goOn(it)
	} else {
		settle(q, r, it)
	}

	q.stats.completed[e.completion]++
	q.runs.end(r)
	q.noteIdle()
}

// retry lets an item that failed wait, or gives it up.
func (q *Queue) retry(r *run, it *item, text string) (again time.Time, gaveUp bool) {
	it.past().fail(text)

	if it.history.attempts >= q.cfg.BackoffLimit {
		q.giveUp(r, it)
		q.stats.gaveUp++

		return time.Time{}, true
	}

	q.backOff(r, it)

	return q.clock.time(it.due), false
}

// goOn runs an item once more if a trigger came while it ran, or else forgets it.
func (q *Queue) goOn(it *item) {
	if it.wanted.empty() {
		q.discard(it)
	} else {
		q.makeReady(it)
	}
}

// backOff lets an item that failed wait. When a person asked while it ran, it does not wait.
func (q *Queue) backOff(r *run, it *item) {
	urged := it.wanted.has(Manual)
	q.takeBack(r, it)

	if urged {
		q.stats.jumped++
		q.makeReady(it)

		return
	}

	it.history.deadline = it.due
	delay := q.cfg.Rand(q.cfg.Backoff.ceiling(it.history.attempts)) + 1
	q.delayUntil(it, q.now()+delay, BackingOff)
}

// giveUp makes an item Failed. What came while it ran is treated as if it came now.
func (q *Queue) giveUp(r *run, it *item) {
	it.history.probe = q.now() + int64(q.cfg.Backoff.Cap)

	switch {
	case it.wanted.empty():
		q.takeBack(r, it)
		q.setState(it, Failed)
	case it.wanted.has(Manual):
		it.history.attempts = 0
		q.stats.jumped++
		q.makeReady(it)
	default:
		it.history.deadline = it.due
		q.delayUntil(it, it.history.probe, Failed)
	}
}

// takeBack returns to the item what the lease took from it.
func (q *Queue) takeBack(r *run, it *item) {
	if it.wanted.empty() || r.due < it.due {
		it.due, it.class = r.due, r.class
	}

	it.wanted.merge(r.triggers)
	it.revision = max(it.revision, r.revision)
}

// fail counts a failure.
func (h *history) fail(text string) {
	h.attempts++
	h.lastError = text
}

// maxErrorLength bounds what is kept of an error's text, in bytes.
const maxErrorLength = 1024

// describe returns the text of an error, which may be nil, as far as it is kept.
func describe(err error) string {
	if err == nil {
		return ""
	}

	text := err.Error()

	return strings.ToValidUTF8(text[:min(len(text), maxErrorLength)], "")
}
