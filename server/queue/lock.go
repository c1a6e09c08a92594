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
// up for.
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

		if !q.makeUp() {
			return
		}
	}
}

// left is a success that is left to the owner of the lock. A worker need not wait for the lock only to say that it is done:
// when several are busy, the waiting, and what the processors hand to each other with the lock, take longer than the work.
type left struct {
	run  *run
	id   uint64
	next *left
}

// leaveSuccess leaves the success of a hand-out to the owner of the lock, who may just have given it up.
func (q *Queue) leaveSuccess(r *run, id uint64) {
	added := &left{run: r, id: id, next: q.left.Load()}
	for !q.left.CompareAndSwap(added.next, added) {
		added.next = q.left.Load()
	}

	if q.makeUp() {
		q.unlock()
	}
}

// makeUp takes the lock and completes what was left to its owner, if anything was. It need not when it does not get the
// lock: there is a new owner, or one who has not looked yet, and looks after this. That holds only because it has looked
// itself before, which puts the two in order.
func (q *Queue) makeUp() bool {
	return q.left.Load() != nil && q.tryMakeUp()
}

// tryMakeUp is the rare part of makeUp, apart from which the compiler puts the rest where it is needed.
func (q *Queue) tryMakeUp() bool {
	if !q.mu.TryLock() {
		return false
	}

	q.finishLeft()

	return true
}

// finishLeft completes what was left to the owner of the lock.
func (q *Queue) finishLeft() {
	for l := q.left.Swap(nil); l != nil; l = l.next {
		q.finish(l.run, l.id, &ending{completion: succeeded}, succeed)
	}
}
