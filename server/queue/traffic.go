package queue

import "time"

const (
	// spell is the time over which the traffic of a tenant is added up.
	spell = rateWindow / (spells - 1)
	// spells is how many of them are kept: as many as the window has, and one of which only the end lies in the window.
	spells = 4
)

// traffic counts the items of one tenant that come and leave. It is as small as it is so that it lies beside the number of
// the tenant's items, which is written to at the same time.
type traffic struct {
	// came and left are by spell, used as rings.
	came, left [spells]uint32
	// spell is the number of the latest spell that was counted in.
	spell uint32
}

// spellAt returns the number of the spell at a time of the queue's clock.
func spellAt(at int64) uint32 {
	return uint32(at / int64(spell)) //nolint:gosec // a queue does not last for thousands of years
}

// turn goes on to a spell, unless it is an earlier one, and returns where its counts are.
func (t *traffic) turn(spell uint32) uint32 {
	if spell > t.spell {
		t.forget(spell)
	}

	return t.spell % spells
}

// forget empties what was counted so long ago that a new spell takes its place.
func (t *traffic) forget(spell uint32) {
	for range min(spell-t.spell, spells) {
		t.spell++
		t.came[t.spell%spells], t.left[t.spell%spells] = 0, 0
	}

	t.spell = spell
}

// perSecond returns how many items came and left a second over the window that ends at a time. Of the spell that the window
// begins in it takes a part, as if all of it had been alike.
func (t *traffic) perSecond(at int64) (came, left float64) {
	current := t.turn(spellAt(at))
	share := 1 - float64(at%int64(spell))/float64(spell)

	for i := range t.came {
		weight := 1.0
		if uint32(i) == (current+1)%spells {
			weight = share
		}

		came += weight * float64(t.came[i])
		left += weight * float64(t.left[i])
	}

	window := windowAt(at)

	return came / window, left / window
}

// windowAt returns how many seconds rates are taken over at a time: less than the window while the queue is younger.
func windowAt(at int64) float64 {
	return max(min(rateWindow, time.Duration(at)), markEvery).Seconds()
}
