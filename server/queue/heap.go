package queue

import "math"

// node is what a minHeap orders. It keeps its own place, so that it can be taken out of the middle.
type node interface {
	comparable
	// index is where the heap notes the node's own.
	index() *uint32
}

const (
	// nowhere is the index of a node that was taken out of its heap.
	nowhere = math.MaxUint32
	// arity is the number of children of a heap's node; four make a flat heap of which most lies in the cache.
	arity = 4
)

// entry is a node with its key beside it, so that a comparison need not look at the node.
type entry[N node] struct {
	key  int64
	node N
}

// minHeap is a heap with the smallest key first.
type minHeap[N node] []entry[N]

func (h *minHeap[N]) push(n N, key int64) {
	*h = append(*h, entry[N]{key, n})
	h.up(len(*h) - 1)
}

// remove takes out a node that is in the heap.
func (h *minHeap[N]) remove(n N) {
	at, last := int(*n.index()), len(*h)-1
	moved := (*h)[last]
	(*h)[last] = entry[N]{}
	*h = (*h)[:last]

	if at < last {
		(*h)[at] = moved
		h.settle(at)
	}

	*n.index() = nowhere
}

// fix gives a node that is in the heap another key.
func (h *minHeap[N]) fix(n N, key int64) {
	at := int(*n.index())
	(*h)[at].key = key
	h.settle(at)
}

// settle moves an entry to where it belongs.
func (h *minHeap[N]) settle(at int) {
	if at > 0 && (*h)[at].key < (*h)[(at-1)/arity].key {
		h.up(at)
	} else {
		h.down(at)
	}
}

func (h *minHeap[N]) up(at int) {
	entries := *h
	moving := entries[at]

	for at > 0 {
		parent := (at - 1) / arity
		if entries[parent].key <= moving.key {
			break
		}

		h.put(at, entries[parent])
		at = parent
	}

	h.put(at, moving)
}

func (h *minHeap[N]) down(at int) {
	entries := *h
	moving := entries[at]

	for {
		first := arity*at + 1
		if first >= len(entries) {
			break
		}

		least := first
		for child := first + 1; child < min(first+arity, len(entries)); child++ {
			if entries[child].key < entries[least].key {
				least = child
			}
		}

		if moving.key <= entries[least].key {
			break
		}

		h.put(at, entries[least])
		at = least
	}

	h.put(at, moving)
}

func (h *minHeap[N]) put(at int, e entry[N]) {
	(*h)[at] = e
	*e.node.index() = uint32(at) //nolint:gosec // there is no room for as many
}
