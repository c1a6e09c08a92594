package queue

// Room is room in the queue for requests that something else is to accept first, such as a store that writes them down. Others
// cannot take it meanwhile. It is for one goroutine, and must be closed when the requests are in the queue, or will not be.
type Room struct {
	queue *Queue
	// held is for how many items there is room.
	held int
}

// Room returns none so far.
func (q *Queue) Room() *Room {
	return &Room{queue: q}
}

// TryAll takes room for as many requests, of any trigger, if all of them would be taken now. It reports whether it did.
func (m *Room) TryAll(requests int) bool {
	q := m.queue

	q.lock()
	defer q.unlock()

	if q.stopped || q.paused(Accepting, q.now()) || q.items.len()+q.reserved+requests > q.cfg.limit(Periodic) {
		return false
	}

	m.hold(requests)

	return true
}

// Admit takes the room that a request needs. The error is Enqueue's, and is counted as a refusal.
func (m *Room) Admit(r *Request) error {
	q := m.queue
	hash := q.items.hash(r.Service)

	q.lock()
	defer q.unlock()

	it := q.items.find(r.Service, hash)
	if err := q.admit(r, it, q.now()); err != nil {
		return err
	}

	if it == nil {
		m.hold(1)
	}

	return nil
}

// Close gives back what room there is left. It may be called again.
func (m *Room) Close() {
	m.queue.lock()
	defer m.queue.unlock()

	m.hold(-m.held)
}

func (m *Room) hold(items int) {
	m.held += items
	m.queue.reserved += items
}
