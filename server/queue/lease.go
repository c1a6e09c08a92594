package queue

import "time"

// Lease is one hand-out of an item. Exactly one of Succeed, Retry, Fail, Unavailable and Release completes it; what comes
// after that is counted and does nothing. It is passed by value; the zero Lease is none.
type Lease struct {
	queue *Queue
	run   *run
	// id tells this hand-out from later ones that use the same memory.
	id       uint64
	service  string
	revision int64
	attempts int
	// probes is the dependency that the evaluation is to test.
	probes string
}

// Service returns the key of the service to evaluate.
func (l Lease) Service() string {
	return l.service
}

// Attempts returns the number of failures in a row before this evaluation.
func (l Lease) Attempts() int {
	return l.attempts
}

// Revision returns the highest revision of the requests that this evaluation answers.
func (l Lease) Revision() int64 {
	return l.revision
}

// Probe returns the dependency that was held to be missing and that this evaluation is to test; mostly none.
func (l Lease) Probe() (dependency string) {
	return l.probes
}

// Triggers returns why it is to be evaluated, the first request first; nothing once the lease is completed.
func (l Lease) Triggers() (triggers []Record) {
	l.open(func(r *run) { triggers = r.triggers.export(nil) })

	return triggers
}

// Periodic reports whether the sweep asked, alone or among others; false once the lease is completed.
func (l Lease) Periodic() (periodic bool) {
	l.open(func(r *run) { periodic = r.triggers.has(Periodic) })

	return periodic
}

// Enqueued returns when the first of the requests came; the zero time once the lease is completed.
func (l Lease) Enqueued() (first time.Time) {
	l.open(func(r *run) { first = time.Unix(0, r.triggers.enqueued()) })

	return first
}

// OnRevoke has revoke called, once, when the outcome of the evaluation is of no interest any more because the service was
// forgotten; at once when it was already. It must not block or use the queue. It may still be called just after a success.
func (l Lease) OnRevoke(revoke func()) {
	l.open(func(r *run) {
		if r.forgotten {
			revoke()
		} else {
			r.revoke = revoke
		}
	})
}

// Revoked reports whether the outcome is of no interest any more; false once the lease is completed.
func (l Lease) Revoked() (revoked bool) {
	l.open(func(r *run) { revoked = r.forgotten })

	return revoked
}

// open lets do look at the hand-out unless it is completed.
func (l Lease) open(do func(*run)) {
	l.queue.lock()
	defer l.queue.unlock()

	if l.run.id == l.id {
		do(l.run)
	}
}
