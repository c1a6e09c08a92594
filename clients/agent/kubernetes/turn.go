package kubernetes

// allDone is the turn of a pod that has its size.
const allDone = 3

// next chooses the pod whose turn it is: one that is not ready first, as it has nothing to lose, then one that was asked
// before, as it may restart at any moment, and one that is ready only while all the others are. It is nil when all have
// their size.
func (c *change) next() (*pod, error) {
	missing := int(c.workload.replicas()) - len(c.pods)

	var next, unready *pod

	for _, each := range c.pods {
		if !each.ready() {
			unready = each
		}

		if turn := c.turn(each); turn < allDone && (next == nil || turn < c.turn(next)) {
			next = each
		}
	}

	switch {
	case next == nil && missing > 0:
		return nil, postpone(soon, "%d of its replicas have no pod yet", missing)
	case next == nil || !next.ready():
		return next, nil
	case missing > 0:
		return nil, postpone(soon, "%d of its replicas have no pod, so the others are left alone for now", missing)
	case unready != nil:
		return nil, postpone(soon, "the pod %s is not ready, so the others are left alone for now", unready.Metadata.Name)
	default:
		return next, nil
	}
}

// turn says when a pod's turn is: the smaller, the sooner.
func (c *change) turn(p *pod) int {
	switch state := c.state(p); {
	case state == actuated:
		return allDone
	case state == notAsked && !p.ready():
		return 0
	case state != notAsked:
		return 1
	default:
		return 2
	}
}
