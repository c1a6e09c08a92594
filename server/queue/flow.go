package queue

// flow holds the ready items of one tenant in one class. Deadlines nearly always come in order, and then the flow is a
// linked list that costs the same however long it is; an item that comes back late goes to a heap beside it.
type flow struct {
	head, tail *item
	late       minHeap[*item]
	// due is the deadline of the first item.
	due int64
	// next and prev link the flows of a class that have items, in the order of their turns.
	next, prev *flow
	// at is the flow's index in its class's heap, or nowhere.
	at uint32
}

func (f *flow) index() *uint32 { return &f.at }

// first returns the item with the earliest deadline, or nil.
func (f *flow) first() *item {
	if len(f.late) > 0 && (f.head == nil || f.late[0].key < f.head.due) {
		return f.late[0].node
	}

	return f.head
}

// oldest returns when the first request came of the first item, or never when there is none.
func (f *flow) oldest() int64 {
	first := f.first()
	if first == nil {
		return never
	}

	return first.wanted.enqueued()
}

func (f *flow) insert(it *item) {
	if f.tail != nil && it.due < f.tail.due {
		it.lies = late
		f.late.push(it, it.due)

		return
	}

	it.lies, it.next, it.prev = listed, 0, 0
	if f.tail == nil {
		f.head = it
	} else {
		it.prev, f.tail.next = f.tail.slot, it.slot
	}

	f.tail = it
}

func (f *flow) remove(it *item, items *slab) {
	if it.lies == late {
		f.late.remove(it)

		return
	}

	next, prev := items.get(it.next), items.get(it.prev)

	if prev == nil {
		f.head = next
	} else {
		prev.next = it.next
	}

	if next == nil {
		f.tail = prev
	} else {
		next.prev = it.prev
	}
}
