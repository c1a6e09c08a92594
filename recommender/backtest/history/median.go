package history

// median knows the median of the values of the newest minutes. The smaller half lies in one heap, whose top is its
// largest, the larger half in the other, whose top is its smallest; each value knows its place, so that the oldest one
// can be taken out again.
type median struct {
	values  []aged // by slot
	free    []int32
	order   []int32 // slots by age, oldest first
	head    int
	smaller heap
	larger  heap
}

// aged is one value, where it lies, and when it goes.
type aged struct {
	entry

	place   int32
	smaller bool
}

// push adds a value of a minute that is not older than the newest one.
func (m *median) push(e entry) {
	slot := m.slot()
	m.values[slot] = aged{entry: e}
	m.order = append(m.order, slot)

	if len(m.smaller) > 0 && e.value > m.values[m.smaller[0]].value {
		m.insert(false, slot)
	} else {
		m.insert(true, slot)
	}

	m.balance()
}

// expire removes the values before a minute.
func (m *median) expire(before int64) {
	for m.head < len(m.order) && m.values[m.order[m.head]].minute < before {
		slot := m.order[m.head]
		m.head++
		m.remove(slot)
		m.free = append(m.free, slot)
		m.balance()
	}

	if m.head > len(m.order)/2 {
		m.order = m.order[:copy(m.order, m.order[m.head:])]
		m.head = 0
	}
}

// value returns the middle value, or the mean of the middle two; 0 of nothing.
func (m *median) value() float64 {
	switch {
	case len(m.smaller) == 0:
		return 0
	case len(m.smaller) > len(m.larger):
		return m.values[m.smaller[0]].value
	default:
		return middle(m.values[m.smaller[0]].value, m.values[m.larger[0]].value)
	}
}

// middle is the mean of two values, in a form that cannot overflow.
func middle(low, high float64) float64 {
	return low + (high-low)/2
}

func (m *median) slot() int32 {
	if last := len(m.free) - 1; last >= 0 {
		slot := m.free[last]
		m.free = m.free[:last]

		return slot
	}

	m.values = append(m.values, aged{})

	return int32(len(m.values) - 1) //nolint:gosec // a window holds far fewer minutes
}

// balance keeps both heaps of the same length, or the smaller half one longer.
func (m *median) balance() {
	switch {
	case len(m.smaller) > len(m.larger)+1:
		m.move(m.smaller[0], false)
	case len(m.larger) > len(m.smaller):
		m.move(m.larger[0], true)
	}
}

func (m *median) move(slot int32, smaller bool) {
	m.remove(slot)
	m.insert(smaller, slot)
}
