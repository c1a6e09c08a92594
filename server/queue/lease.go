package queue

import "time"

// Lease is one hand-out of an item. Exactly one of Succeed, Retry, Fail, Unavailable and Release completes it; what comes
// after that is counted and does nothing.
type Lease struct {
	queue *Queue
	// What the item was handed out with; none of it changes.
	service  string
	triggers records
	revision int64
	started  int64
	due      int64
	attempts int
	class    Trigger
	// probes is the dependency that this evaluation is to test.
	probes string

	// The rest is guarded by Queue.mu.

	// revoke cancels the evaluation, once the worker has said how.
	revoke func()
	// forgotten means that the outcome is of no interest any more.
	forgotten bool
	// completed means that the lease is not open any more; the item may then be another service's.
	completed bool
	item      *item
	// next and prev link the open leases.
	next, prev *Lease
}

// Service returns the key of the service to evaluate.
func (l *Lease) Service() string {
	return l.service
}

// Triggers returns why it is to be evaluated, the first request first.
func (l *Lease) Triggers() []Record {
	return l.triggers.export(nil)
}

// Attempts returns the number of failures in a row before this evaluation.
func (l *Lease) Attempts() int {
	return l.attempts
}

// Periodic reports whether the sweep asked, alone or among others.
func (l *Lease) Periodic() bool {
	return l.triggers.has(Periodic)
}

// Revision returns the highest revision of the requests that this evaluation answers.
func (l *Lease) Revision() int64 {
	return l.revision
}

// Enqueued returns when the first of the requests came.
func (l *Lease) Enqueued() time.Time {
	return time.Unix(0, l.triggers.enqueued())
}

// OnRevoke has revoke called, once, when the outcome of the evaluation is of no interest any more because the service was
// forgotten; at once when it was already. It must not block or use the queue.
func (l *Lease) OnRevoke(revoke func()) {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()

	switch {
	case l.completed:
	case l.forgotten:
		revoke()
	default:
		l.revoke = revoke
	}
}

// Revoked reports whether the outcome is of no interest any more.
func (l *Lease) Revoked() bool {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()

	return l.forgotten
}

// Probe returns the dependency that was held to be missing and that this evaluation is to test; mostly none.
func (l *Lease) Probe() string {
	return l.probes
}

// leases are those that are not completed, in the order of their hand-out.
type leases struct {
	first, last *Lease
	count       int
	// unused are allocated together, because one at a time takes longer than all else that a hand-out needs.
	unused []Lease
}

// leaseChunk is how many leases are allocated together. Keeping one of them keeps all of its chunk.
const leaseChunk = 32

// fresh returns a lease that was never used.
func (ls *leases) fresh() *Lease {
	if len(ls.unused) == 0 {
		ls.unused = make([]Lease, leaseChunk)
	}

	l := &ls.unused[0]
	ls.unused = ls.unused[1:]

	return l
}

func (ls *leases) add(l *Lease) {
	l.prev = ls.last
	if ls.last == nil {
		ls.first = l
	} else {
		ls.last.next = l
	}

	ls.last = l
	ls.count++
}

func (ls *leases) remove(l *Lease) {
	if l.prev == nil {
		ls.first = l.next
	} else {
		l.prev.next = l.next
	}

	if l.next == nil {
		ls.last = l.prev
	} else {
		l.next.prev = l.prev
	}

	l.next, l.prev = nil, nil
	ls.count--
}
