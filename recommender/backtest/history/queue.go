package history

import "sort"

// entry is a value of one minute.
type entry struct {
	minute int64
	value  float64
}

// queue holds entries in the order of time.
type queue struct {
	entries []entry
	head    int // the entries before it are gone
}

// push adds an entry that is not older than the newest one.
func (q *queue) push(e entry) {
	q.entries = append(q.entries, e)
}

// live are the entries, oldest first.
func (q *queue) live() []entry {
	return q.entries[q.head:]
}

// since are the entries from a minute on.
func (q *queue) since(minute int64) []entry {
	live := q.live()
	at := sort.Search(len(live), func(i int) bool { return live[i].minute >= minute })

	return live[at:]
}

// expire removes the entries before a minute. The room they took is used again once it is half of all.
func (q *queue) expire(before int64) {
	for q.head < len(q.entries) && q.entries[q.head].minute < before {
		q.head++
	}

	if q.head > len(q.entries)/2 {
		q.entries = q.entries[:copy(q.entries, q.entries[q.head:])]
		q.head = 0
	}
}
