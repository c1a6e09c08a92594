package queue

// node is what a minHeap orders. It keeps its own place, so that it can be taken out of the middle.
type node interface {
	comparable
	// key is what the order goes by.
	key() int64
	// place is where the heap notes the node's index.
	place() *int32
}

// nowhere is the index of a node that is in no heap.
const nowhere = -1

// minHeap is a binary heap with the smallest key first.
type minHeap[N node] []N

func (h *minHeap[N]) push(n N) {
	*h = append(*h, n)
	h.up(len(*h) - 1)
}

// remove takes out a node that is in the heap.
func (h *minHeap[N]) remove(n N) {
	var none N

	at, last := int(*n.place()), len(*h)-1
	moved := (*h)[last]
	(*h)[last] = none
	*h = (*h)[:last]
	*n.place() = nowhere

	if at == last {
		return
	}

	(*h)[at] = moved
	*moved.place() = int32(at)
	h.fix(moved)
}

// fix puts a node whose key has changed where it belongs.
func (h *minHeap[N]) fix(n N) {
	at := int(*n.place())
	if !h.down(at) {
		h.up(at)
	}
}

func (h *minHeap[N]) up(at int) {
	nodes := *h
	n := nodes[at]
	key := n.key()

	for at > 0 {
		parent := (at - 1) / 2
		if nodes[parent].key() <= key {
			break
		}

		nodes[at] = nodes[parent]
		*nodes[at].place() = int32(at)
		at = parent
	}

	nodes[at] = n
	*n.place() = int32(at)
}

// down moves a node towards the leaves and reports whether it moved.
func (h *minHeap[N]) down(at int) bool {
	nodes := *h
	start, n := at, nodes[at]
	key := n.key()

	for {
		child := 2*at + 1
		if child >= len(nodes) {
			break
		}

		if right := child + 1; right < len(nodes) && nodes[right].key() < nodes[child].key() {
			child = right
		}

		if key <= nodes[child].key() {
			break
		}

		nodes[at] = nodes[child]
		*nodes[at].place() = int32(at)
		at = child
	}

	nodes[at] = n
	*n.place() = int32(at)

	return at != start
}
