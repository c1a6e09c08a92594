package queue

// create makes the item of a service that has none.
func (q *Queue) create(service string, hash uint32) *item {
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

	q.storage.Push(it)
	it.noteRepeatable()

	q.rouse = true
}

// withdraw takes an item out of what holds it.
func (q *Queue) withdraw(it *item) {
	switch it.lies {
	case listed, late:
		q.storage.remove(it)
	case delayed:
		q.delays.remove(it)
	case aside:
	}

	it.lies = aside
	it.wanted.first.repeatable = false
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
