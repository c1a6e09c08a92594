package queue

import "k8s.io/client-go/util/workqueue"

// turns is who may claim a hand-out, one after the other: half of them signals, a quarter each of the others. A claim is
// only made by a class whose earliest item has used up half of its slack; all other hand-outs go to the earliest
// deadline.
var turns = [...]Trigger{Signal, Manual, Signal, Periodic}

// precedence decides between classes with the same deadline.
var precedence = [triggerCount]Trigger{Signal, Manual, Periodic}

// storage holds the items that are ready, in the order of their hand-out. It is the storage of the base queue, which
// takes from it under its own lock; that is only done with Queue.mu held, which guards it.
type storage struct {
	classes [triggerCount]class
	// patience is half of each class's slack.
	patience [triggerCount]int64
	turn     int
	size     int
	// now is the time of the hand-out that is under way.
	now int64
}

var _ workqueue.Queue[*item] = (*storage)(nil)

func newStorage(slack Slack, items *slab) *storage {
	s := &storage{}
	for _, trigger := range Triggers() {
		s.patience[trigger] = slack.of(trigger) / 2
		s.classes[trigger].items = items
	}

	return s
}

// Len returns the number of items.
func (s *storage) Len() int {
	return s.size
}

// Push adds an item.
func (s *storage) Push(it *item) {
	s.classes[it.class].insert(&it.tenant.flows[it.class], it)
	s.size++
}

// Touch does nothing: who has an item moved knows where it lies.
func (*storage) Touch(*item) {}

// Pop removes and returns the next item; there must be one.
func (s *storage) Pop() *item {
	s.size--

	return s.classes[s.choose()].take()
}

// remove takes out an item that is present.
func (s *storage) remove(it *item) {
	s.classes[it.class].remove(&it.tenant.flows[it.class], it)
	s.size--
}

// choose returns the class that the next hand-out goes to; one of them must have items.
func (s *storage) choose() Trigger {
	claimant := turns[s.turn]
	s.turn = (s.turn + 1) % len(turns)

	if only, single := s.single(); single {
		return only
	}

	if s.classes[claimant].earliest()-s.patience[claimant] <= s.now {
		return claimant
	}

	chosen, earliest := claimant, int64(never)

	for _, candidate := range precedence {
		if due := s.classes[candidate].earliest(); due < earliest {
			chosen, earliest = candidate, due
		}
	}

	return chosen
}

// single returns the class that has items when there is one only.
func (s *storage) single() (Trigger, bool) {
	only, found := Trigger(0), 0

	for class := range s.classes {
		if s.classes[class].size > 0 {
			only, found = Trigger(class), found+1
		}
	}

	return only, found == 1
}

// oldest returns when the first request came of the oldest item that is first in its flow, or never when there is none.
func (s *storage) oldest() int64 {
	oldest := int64(never)

	for class := range s.classes {
		for f := s.classes[class].front; f != nil; f = f.next {
			oldest = min(oldest, f.oldest())
		}
	}

	return oldest
}
