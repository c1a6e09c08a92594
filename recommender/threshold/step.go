package threshold

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// stepReplicas adds or removes replicas, and says so as a plan of groups.
func (e *evaluation) stepReplicas(verdict recommender.Direction) {
	current := e.in.Allocation.Replicas
	template := e.template()
	next := current

	switch verdict {
	case recommender.DirectionUp:
		next = e.more(current, template.Count)
	case recommender.DirectionDown:
		next = e.fewer(current)
	case recommender.DirectionNone:
	}

	if next == current {
		return
	}

	e.proposal.Replicas = next
	e.proposal.Plan = Diff(
		[]recommender.Group{template.group(e.in.Service, current)}, []recommender.Group{template.group(e.in.Service, next)})
}

// more is one step up, within what the template has. More than that, which someone else has made, is left alone.
func (e *evaluation) more(current, count int32) int32 {
	most := size.MaxReplicas
	if count > 0 {
		most = count
	}

	next := current + min(e.params.Step, max(most-current, 0))
	if next < current+e.params.Step {
		e.proposal.Because(recommender.ReasonLimitedByMax)
	}

	return next
}

// fewer is one step down, but not so far that a rule would ask to grow again at once.
func (e *evaluation) fewer(current int32) int32 {
	least := int64(1)

	for i := range e.judged {
		j := &e.judged[i]
		each := float64(e.in.Allocation.Resources().Get(j.resource)) * j.limit()
		least = max(least, size.Ceil(float64(j.peak)/each, int64(size.MaxReplicas)))
	}

	e.fact("least_replicas", float64(least))

	return int32(min(max(int64(current-e.params.Step), least), int64(current))) //nolint:gosec // not above current
}

// stepSize makes the resources larger whose rule says so, or those smaller.
func (e *evaluation) stepSize(verdict recommender.Direction) {
	for i := range e.judged {
		j := &e.judged[i]

		switch {
		case verdict == recommender.DirectionUp && j.above:
			e.proposal.Need = e.proposal.Need.Set(j.resource, e.larger(j))
		case verdict == recommender.DirectionDown && j.below:
			e.proposal.Need = e.proposal.Need.Set(j.resource, e.smaller(j))
		}
	}
}

func (e *evaluation) larger(j *judgement) int64 {
	current := e.in.Allocation.Resources().Get(j.resource)

	return size.Ceil(float64(current)*(1+e.params.SizeStep), maxOf(j.resource))
}

// smaller is one step down, or down to the next legal size if that is further: else a coarse catalogue would hold the
// service for ever. It does not go so far that a rule would ask to grow again at once.
func (e *evaluation) smaller(j *judgement) int64 {
	current := e.in.Allocation.Resources()
	from := current.Get(j.resource)
	stepped := size.Ceil(float64(from)*(1-e.params.SizeStep), from)
	next := min(stepped, e.in.Policy.NextDown(current).Get(j.resource))
	least := size.Ceil(float64(j.peak)/(float64(e.in.Allocation.Replicas)*j.limit()), maxOf(j.resource))

	e.fact(leastNames[j.resource], float64(least))

	return min(max(next, least, 1), from)
}

var leastNames = map[size.Resource]string{size.CPU: "cpu_least_millis", size.Memory: "memory_least_bytes"}

func maxOf(resource size.Resource) int64 {
	if resource == size.CPU {
		return size.MaxCPUMillis
	}

	return size.MaxMemoryBytes
}
