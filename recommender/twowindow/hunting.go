package twowindow

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// huntingCheck tells a service that is growing from one whose load is flat or falling, when the large window asks for
// more than the small one: whether the small window's need is strictly greater than at an earlier periodic slot.
//
// Compared are needs before rounding, else a slow rise would hide within one catalogue entry, and peak / target for CPU
// even within the band, else a resize in between would look like a trend. With a ratio the coupled pairs are compared,
// so that a rise of the resource that does not decide the size is no trend.
func (e *evaluation) huntingCheck(scope recommender.MergeScope) recommender.HuntingExplanation {
	at, previous := e.previous()
	previous, current := bothKnown(scope, previous, smallNeed(e.small))

	check := recommender.HuntingExplanation{Consulted: true, CurrentSmall: current}
	if previous.IsZero() {
		return check
	}

	if scope == recommender.ScopeJoint && previous.CPUMillis > 0 && previous.MemoryBytes > 0 {
		previous, check.CurrentSmall = e.policy.Couple(previous), e.policy.Couple(current)
	}

	check.PreviousTime, check.PreviousSmall = at, previous
	check.Trending = !previous.Covers(check.CurrentSmall) && !previous.Covers(e.deciding(check.CurrentSmall))

	return check
}

// deciding blanks the resource of a catalogue need that does not decide its entry: memory that creeps up while CPU alone
// needs the whole entry does not make the service grow.
func (e *evaluation) deciding(current size.Resources) size.Resources {
	if len(e.policy.Catalogue) == 0 {
		return current
	}

	entry := e.policy.Fitted(current)

	for _, resource := range size.Both() {
		alone := size.Resources{}.Set(resource, current.Get(resource))
		without := current.Set(resource, 0)

		if e.policy.Fitted(alone) == entry && e.policy.Fitted(without) != entry {
			return alone
		}
	}

	return current
}

// bothKnown blanks what is out of scope or not known on both sides.
func bothKnown(scope recommender.MergeScope, a, b size.Resources) (size.Resources, size.Resources) {
	if scope == recommender.ScopeMemory || a.CPUMillis == 0 || b.CPUMillis == 0 {
		a.CPUMillis, b.CPUMillis = 0, 0
	}

	if scope == recommender.ScopeCPU || a.MemoryBytes == 0 || b.MemoryBytes == 0 {
		a.MemoryBytes, b.MemoryBytes = 0, 0
	}

	return a, b
}

// huntingPick holds when there is nothing to compare with: neither growing nor shrinking could be justified.
func huntingPick(check recommender.HuntingExplanation) recommender.Pick {
	switch {
	case check.PreviousTime.IsZero():
		return recommender.PickHold
	case check.Trending:
		return recommender.PickLarge
	default:
		return recommender.PickSmall
	}
}

// smallNeed is what the small window's trend is seen from; 0 for what the window does not know.
func smallNeed(w *recommender.WindowExplanation) size.Resources {
	need := size.Resources{CPUMillis: w.CPU.TargetMillis}

	if residentKnown(w) {
		need.MemoryBytes = w.Memory.TargetBytes
	}

	return need
}

// previous returns the need to compare with: the latest one that is at least half a slot old, so that a second
// evaluation within a slot compares with the same value as the first. A value from before the small window shares no
// sample with it and says nothing about a trend.
func (e *evaluation) previous() (time.Time, size.Resources) {
	trend := &e.in.State.Trend
	at, need, age := trend.Time, trend.Small, e.in.Now.Sub(trend.Time)

	if age < e.params.TrendInterval/2 && !e.fromFuture(age) {
		at, need, age = trend.PrevTime, trend.PrevSmall, e.in.Now.Sub(trend.PrevTime)
	}

	if at.IsZero() || e.fromFuture(age) || age > max(e.params.SmallWindow, 2*e.params.TrendInterval) {
		return time.Time{}, size.Resources{}
	}

	return at, need
}

// advance moves the trend on for the next evaluation. Only a periodic evaluation moves it, and at most once in half a
// slot; one that knows nothing leaves it alone.
func (e *evaluation) advance(trend *recommender.Trend, current size.Resources) {
	if !e.in.Periodic || current.IsZero() {
		return
	}

	next := recommender.Trend{Time: e.in.Now, Small: current}
	age := e.in.Now.Sub(trend.Time)

	switch {
	case e.fromFuture(age):
		*trend = next
	case trend.Time.IsZero() || age >= e.params.TrendInterval/2:
		next.PrevTime, next.PrevSmall = trend.Time, trend.Small
		*trend = next
	}
}

// fromFuture reports that a trend is of a time that has yet to come, as a clock that was wrong leaves it behind; waiting
// for that time would hold the service until then. A clock that is a little behind is ordinary.
func (e *evaluation) fromFuture(age time.Duration) bool {
	return age < -e.params.TrendInterval
}
