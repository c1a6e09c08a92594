package queue

// class holds the flows of one trigger that have items.
type class struct {
	// front and back end the ring of turns: the front flow is served next and goes to the back.
	front, back *flow
	// byDue finds the earliest deadline of the class.
	byDue minHeap[*flow]
}

// earliest returns the earliest deadline of all items, and false when there is none.
func (c *class) earliest() (int64, bool) {
	if len(c.byDue) == 0 {
		return 0, false
	}

	return c.byDue[0].due, true
}

// insert puts an item into its flow; a flow that had none gets the last turn.
func (c *class) insert(f *flow, it *item) {
	f.insert(it)

	switch {
	case f.index == nowhere:
		f.due = it.due
		c.byDue.push(f)
		c.enqueue(f)
	case it.due < f.due:
		f.due = it.due
		c.byDue.fix(f)
	}
}

// remove takes an item out of its flow.
func (c *class) remove(f *flow, it *item) {
	f.remove(it)
	c.settle(f)
}

// take removes and returns the first item of the flow whose turn it is; there must be one.
func (c *class) take() *item {
	f := c.front
	it := f.first()
	f.remove(it)

	if f.next != nil {
		c.dequeue(f)
		c.enqueue(f)
	}

	c.settle(f)

	return it
}

// settle brings a flow's place in the class up to date after an item has left it.
func (c *class) settle(f *flow) {
	first := f.first()

	switch {
	case first == nil:
		c.byDue.remove(f)
		c.dequeue(f)
	case first.due != f.due:
		f.due = first.due
		c.byDue.fix(f)
	}
}

func (c *class) enqueue(f *flow) {
	f.next, f.prev = nil, c.back
	if c.back == nil {
		c.front = f
	} else {
		c.back.next = f
	}

	c.back = f
}

func (c *class) dequeue(f *flow) {
	if f.prev == nil {
		c.front = f.next
	} else {
		f.prev.next = f.next
	}

	if f.next == nil {
		c.back = f.prev
	} else {
		f.next.prev = f.prev
	}

	f.next, f.prev = nil, nil
}
