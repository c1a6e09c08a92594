package queue

// lock takes the lock and makes up for what was left to its owner.
func (q *Queue) lock() {
	q.mu.Lock()

	if q.left.Load() != nil {
		q.finishLeft()
	}
}

// unlock gives up the lock and then, when that was asked for, wakes a waiting Get: that takes longer than most of what is
// done under the lock, and whoever is woken wants it first of all. What was left to the owner of the lock meanwhile is made
// up for, unless there is a new one who will.
func (q *Queue) unlock() {
	for {
		var called *waiter

		if q.rouse {
			q.rouse = false
			called = q.waiters.call()
		}

		q.mu.Unlock()

		if called != nil {
			called.woken <- struct{}{}
		}

		if q.left.Load() == nil || !q.mu.TryLock() {
			return
		}

		q.finishLeft()
	}
}

// left is a success that is left to the owner of the lock. A worker need not wait for the lock only to say that it is done:
// when several are busy, the waiting, and what the processors hand to each other with the lock, take longer than the work.
type left struct {
	lease Lease
	next  *left
}

// leaveSuccess leaves a success to the owner of the lock, who may just have given it up.
func (q *Queue) leaveSuccess(l Lease) {
	added := &left{lease: l, next: q.left.Load()}
	for !q.left.CompareAndSwap(added.next, added) {
		added.next = q.left.Load()
	}

	if q.mu.TryLock() {
		q.finishLeft()
		q.unlock()
	}
}

// finishLeft completes what was left to the owner of the lock.
func (q *Queue) finishLeft() {
	for l := q.left.Swap(nil); l != nil; l = l.next {
		q.finish(&l.lease, ending{completion: succeeded}, succeed)
	}
}
