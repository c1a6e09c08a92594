package queue

// create makes the item of a service that has none.
func (q *Queue) create(service string, hash uint64) *item {
	it := q.items.insert(service, hash)
	it.tenant = q.tenants.of(service)
	it.tenant.depth[Waiting]++
	q.stats.depth[Waiting]++

	return it
}

// makeReady lets an item that lies nowhere be handed out, by its due time and class.
func (q *Queue) makeReady(it *item) {
	it.dropHistory()

	if it.state != Waiting {
		q.setState(it, Waiting)
	}

	it.lies = ready
	q.storage.Push(it)
	q.rouse = true
}

// unlock gives up the lock and then, when that was asked for, wakes a waiting Get: that takes longer than most of what is
// done under the lock, and whoever is woken wants it first of all.
func (q *Queue) unlock() {
	var called *waiter

	if q.rouse {
		q.rouse = false
		called = q.waiters.call()
	}

	q.mu.Unlock()

	if called != nil {
		called.woken <- struct{}{}
	}
}

// withdraw takes an item out of what holds it.
func (q *Queue) withdraw(it *item) {
	switch it.lies {
	case ready:
		q.storage.remove(it)
	case delayed:
		q.delays.remove(it)
	case aside:
	}

	it.lies = aside
}

// discard forgets an item that lies nowhere.
func (q *Queue) discard(it *item) {
	it.tenant.depth[it.state]--
	q.stats.depth[it.state]--
	q.tenants.release(it.tenant)
	q.items.remove(it)
}

func (q *Queue) setState(it *item, s State) {
	it.tenant.depth[it.state]--
	q.stats.depth[it.state]--
	it.state = s
	it.tenant.depth[s]++
	q.stats.depth[s]++
}
