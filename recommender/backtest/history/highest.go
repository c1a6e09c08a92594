package history

// Highest knows the highest value since any minute. It keeps only the entries that are higher than every later one: the
// first of them since a minute is the highest since then.
type Highest struct {
	queue queue
}

// Push adds a value of a minute that is not older than the newest one.
func (h *Highest) Push(minute int64, value float64) {
	entries := h.queue.entries
	for len(entries) > h.queue.head && entries[len(entries)-1].value <= value {
		entries = entries[:len(entries)-1]
	}

	h.queue.entries = entries
	h.queue.push(entry{minute, value})
}

// Since returns the highest value from a minute on, and false when there is none.
func (h *Highest) Since(minute int64) (float64, bool) {
	entries := h.queue.since(minute)
	if len(entries) == 0 {
		return 0, false
	}

	return entries[0].value, true
}

// Expire forgets the minutes before one.
func (h *Highest) Expire(before int64) {
	h.queue.expire(before)
}

// lowest is the same for the lowest value.
type lowest struct {
	negated Highest
}

func (l *lowest) push(minute int64, value float64) {
	l.negated.Push(minute, -value)
}

func (l *lowest) since(minute int64) (float64, bool) {
	value, ok := l.negated.Since(minute)

	return -value, ok
}

func (l *lowest) expire(before int64) {
	l.negated.Expire(before)
}
