package twowindow

import (
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// rule is what a cell of the merge table says.
type rule int

const (
	// trustSmall follows the small window.
	trustSmall rule = iota
	// trustLarge follows the large window.
	trustLarge
	// hunt follows the large window when the small one is trending up, else the small one.
	hunt
	// contradiction says that the small window asks for more than the large one, which contains it.
	contradiction
)

// ruleFor is the merge table. Growing happens in one step to the long-term peak, because each resize takes time and
// loses caches; shrinking follows recent load, because waiting only costs.
//
//	large \ small   up              none         down
//	up              large           small        hunt
//	none            contradiction   small        hunt
//	down            contradiction   large        small
//
// The contradictions cannot happen with complete data and one headroom for both windows. They do happen with late
// samples, and when memory counts as stable in the small window and as spiky in the large one. Then the larger need is
// taken.
func ruleFor(large, small recommender.Direction) rule {
	const (
		up   = recommender.DirectionUp
		down = recommender.DirectionDown
	)

	switch {
	case large == up && small == up:
		return trustLarge
	case small == up:
		return contradiction
	case large == down && small == down:
		return trustSmall
	case large == down:
		return trustLarge
	case small == down:
		return hunt
	default:
		return trustSmall
	}
}

// mergeAll appends the merges to an empty slice. It merges both resources jointly when the policy couples them, because then only pairs can be compared; else
// each on its own, so that CPU may rise while memory falls.
func (e *evaluation) mergeAll(merges []recommender.MergeExplanation) []recommender.MergeExplanation {
	if e.policy.Coupled() {
		return append(merges, e.merge(recommender.ScopeJoint, e.large.Verdict, e.small.Verdict))
	}

	return append(merges,
		e.merge(recommender.ScopeCPU, e.large.CPUVerdict, e.small.CPUVerdict),
		e.merge(recommender.ScopeMemory, e.large.MemoryVerdict, e.small.MemoryVerdict))
}

// merge adds the need of one scope to the proposal.
func (e *evaluation) merge(scope recommender.MergeScope, large, small recommender.Direction) recommender.MergeExplanation {
	m := recommender.MergeExplanation{Scope: scope, Large: large, Small: small}

	e.pick(&m)
	e.explainPick(&m)

	need := e.needOf(m.Picked)

	if scope != recommender.ScopeMemory {
		e.proposal.Need.CPUMillis = need.CPUMillis
	}

	if scope != recommender.ScopeCPU {
		e.proposal.Need.MemoryBytes = need.MemoryBytes
	}

	return m
}

// pick selects the window to trust.
func (e *evaluation) pick(m *recommender.MergeExplanation) {
	// Without the large window there is no memory of earlier peaks: only what is seen to be short may move.
	if e.large.Empty && m.Small != recommender.DirectionUp {
		m.Picked = recommender.PickHold

		return
	}

	switch ruleFor(m.Large, m.Small) {
	case trustSmall:
		m.Picked = recommender.PickSmall
	case trustLarge:
		m.Picked = recommender.PickLarge
	case hunt:
		m.Hunting = e.huntingCheck(m.Scope)
		m.Picked = huntingPick(m.Hunting)
	case contradiction:
		m.Impossible = true
		m.Picked = recommender.PickLarger
	}

	// The table takes for granted that the large window never asks for less. Where it does, following it down and the
	// small window back up would go on for ever.
	if m.Picked == recommender.PickLarge && e.smallAsksMore(m.Scope) {
		m.Impossible = true
		m.Picked = recommender.PickLarger
	}

	// Say which window it is if one of them has the larger need in everything.
	if m.Picked == recommender.PickLarger && covers(m.Scope, e.ask(e.small), e.ask(e.large)) {
		m.Picked = recommender.PickSmall
	}
}

// smallAsksMore reports that the small window saw a greater need than the large one.
func (e *evaluation) smallAsksMore(scope recommender.MergeScope) bool {
	return !covers(scope, e.large.Need, known(e.small, e.small.Need))
}

// covers compares the resources of the scope.
func covers(scope recommender.MergeScope, a, b size.Resources) bool {
	return (scope == recommender.ScopeMemory || a.CPUMillis >= b.CPUMillis) &&
		(scope == recommender.ScopeCPU || a.MemoryBytes >= b.MemoryBytes)
}

// needOf returns the need that an outcome stands for; 0 holds a resource.
func (e *evaluation) needOf(pick recommender.Pick) size.Resources {
	switch pick {
	case recommender.PickSmall:
		return e.ask(e.small)
	case recommender.PickLarge:
		return e.ask(e.large)
	case recommender.PickLarger:
		return e.ask(e.small).Max(e.ask(e.large))
	case recommender.PickHold:
	}

	return size.Resources{}
}

// ask is the need of a window without what it does not know. Coupled resources are asked for together, and the one that
// is not known is the allocation.
func (e *evaluation) ask(w *recommender.WindowExplanation) size.Resources {
	if !w.Empty && e.policy.Coupled() {
		return w.Need
	}

	return known(w, w.Need)
}

// known blanks the resources that the window knows nothing of.
func known(w *recommender.WindowExplanation, need size.Resources) size.Resources {
	if !cpuKnown(w) {
		need.CPUMillis = 0
	}

	if w.Memory.Term == recommender.MemoryTermAllocation {
		need.MemoryBytes = 0
	}

	return need
}
