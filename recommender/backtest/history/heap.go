package history

// heap holds slots of a median: a binary tree in which no slot comes before its parent.
type heap []int32

// half returns the heap of one half.
func (m *median) half(smaller bool) *heap {
	if smaller {
		return &m.smaller
	}

	return &m.larger
}

// before says which of two slots is nearer to the top: the larger one in the smaller half.
func (m *median) before(smaller bool, a, b int32) bool {
	if smaller {
		return m.values[a].value > m.values[b].value
	}

	return m.values[a].value < m.values[b].value
}

func (m *median) insert(smaller bool, slot int32) {
	h := m.half(smaller)
	*h = append(*h, slot)
	m.values[slot].smaller = smaller
	m.rise(smaller, len(*h)-1)
}

// remove takes a slot out of its heap: the last slot fills the gap and finds its place from there.
func (m *median) remove(slot int32) {
	smaller, at := m.values[slot].smaller, int(m.values[slot].place)
	h := m.half(smaller)
	last := len(*h) - 1
	filler := (*h)[last]
	*h = (*h)[:last]

	if at == last {
		return
	}

	(*h)[at] = filler
	m.rise(smaller, at)
	m.sink(smaller, int(m.values[filler].place))
}

// rise moves the slot at a place up for as long as it comes before its parent.
func (m *median) rise(smaller bool, at int) {
	h := *m.half(smaller)
	slot := h[at]

	for at > 0 {
		parent := (at - 1) / 2
		if !m.before(smaller, slot, h[parent]) {
			break
		}

		m.put(h, at, h[parent])
		at = parent
	}

	m.put(h, at, slot)
}

// sink moves the slot at a place down for as long as a child comes before it.
func (m *median) sink(smaller bool, at int) {
	h := *m.half(smaller)
	slot := h[at]

	for {
		child := 2*at + 1
		if child >= len(h) {
			break
		}

		if child+1 < len(h) && m.before(smaller, h[child+1], h[child]) {
			child++
		}

		if !m.before(smaller, h[child], slot) {
			break
		}

		m.put(h, at, h[child])
		at = child
	}

	m.put(h, at, slot)
}

func (m *median) put(h heap, at int, slot int32) {
	h[at] = slot
	m.values[slot].place = int32(at) //nolint:gosec // a place in the heap, which holds slots
}
