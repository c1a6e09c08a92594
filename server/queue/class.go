package queue

import "math"

// class holds the flows of one trigger that have items.
type class struct {
	items *slab
	// front and back end the ring of turns: the front flow is served next and goes to the back.
	front, back *flow
	// byDue finds the earliest deadline of the class. A key is never above the flow's first deadline but may be below it:
	// it is brought up to date only when it is looked at, which is seldom while one class alone has items.
	byDue minHeap[*flow]
	// size is the number of items.
	size int
}

// never is later than every deadline.
const never = math.MaxInt64

// earliest returns the earliest deadline of all items, or never when there are none.
func (c *class) earliest() int64 {
	for len(c.byDue) > 0 {
		root := c.byDue[0]
		if root.node.due == root.key {
			return root.key
		}

		c.byDue.fix(root.node, root.node.due)
	}

	return never
}

// insert puts an item into its flow; a flow that had none gets the last turn.
func (c *class) insert(f *flow, it *item) {
	f.insert(it)
	c.size++

	switch {
	case f.at == nowhere:
		f.due = it.due
		c.byDue.push(f, it.due)
		c.enqueue(f)
	case it.due < f.due:
		f.due = it.due
		c.byDue.fix(f, it.due)
	}
}

// remove takes an item out of its flow.
func (c *class) remove(f *flow, it *item) {
	f.remove(it, c.items)
	c.size--

	if first := f.first(); first != nil {
		f.due = first.due

		return
	}

	c.byDue.remove(f)
	c.dequeue(f)
}

// take removes and returns the first item of the flow whose turn it is; there must be one.
func (c *class) take() *item {
	f := c.front
	if f.next != nil {
		c.dequeue(f)
		c.enqueue(f)
	}

	it := f.first()
	c.remove(f, it)

	return it
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
