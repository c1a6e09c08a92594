package agent

import (
	"container/list"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// turns is an order of lanes: first those whose service is to grow, as it suffers until it has, then the others; each as
// they came. A lane is in one order at most.
type turns struct{ rising, others list.List }

// push adds a lane at the end, or moves one that is there already if it belongs to the other part by now.
func (t *turns) push(at *lane) {
	part := &t.others
	if at.next.GetDirection() == tidemarkv1.Direction_DIRECTION_UP {
		part = &t.rising
	}

	if at.part == part {
		return
	}

	at.leave()
	at.part, at.place = part, part.PushBack(at)
}

// pop takes out the first lane; nil when there is none.
func (t *turns) pop() *lane {
	for _, part := range []*list.List{&t.rising, &t.others} {
		if first := part.Front(); first != nil {
			at, _ := first.Value.(*lane)
			at.leave()

			return at
		}
	}

	return nil
}

func (t *turns) len() int { return t.rising.Len() + t.others.Len() }

// leave takes the lane out of the order that it is in, if any.
func (at *lane) leave() {
	if at.part != nil {
		at.part.Remove(at.place)
		at.part, at.place = nil, nil
	}
}
