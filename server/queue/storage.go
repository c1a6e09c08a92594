package queue

import "k8s.io/client-go/util/workqueue"

// turns is who may claim a hand-out, one after the other: half of them signals, a quarter each of the others. A claim is
// only made by a class whose earliest item has used up half of its slack; all other hand-outs go to the earliest
// deadline.
var turns = [...]Trigger{Signal, Manual, Signal, Periodic}

// precedence decides between classes with the same deadline.
var precedence = [triggerCount]Trigger{Signal, Manual, Periodic}

// storage holds the items that are ready, in the order of their hand-out. It is the storage of the base queue, which
// calls it under its lock; all calls to the base queue are made with Queue.mu held, which guards it too.
type storage struct {
	classes [triggerCount]class
	// patience is half of each class's slack.
	patience [triggerCount]int64
	turn     int
	size     int

	// now is the time of the hand-out that is under way.
	now int64
	// pick is the item to pop out of order, when it is to be taken out.
	pick *item
	// moved is the deadline and class that a touched item is to have.
	moved move
}

// move is a new deadline and the trigger that sets it.
type move struct {
	due   int64
	class Trigger
}

var _ workqueue.Queue[*item] = (*storage)(nil)

func newStorage(slack Slack) *storage {
	s := &storage{}
	for _, trigger := range Triggers() {
		s.patience[trigger] = slack.of(trigger) / 2
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

// Touch moves an item that is present and was added again to the deadline in moved.
func (s *storage) Touch(it *item) {
	s.classes[it.class].remove(&it.tenant.flows[it.class], it)
	it.due, it.class = s.moved.due, s.moved.class
	s.classes[it.class].insert(&it.tenant.flows[it.class], it)
}

// Pop removes and returns the next item, or the one that was picked.
func (s *storage) Pop() *item {
	s.size--

	if it := s.pick; it != nil {
		s.classes[it.class].remove(&it.tenant.flows[it.class], it)

		return it
	}

	return s.classes[s.choose()].take()
}

// choose returns the class that the next hand-out goes to; one of them must have items.
func (s *storage) choose() Trigger {
	claimant := turns[s.turn]
	s.turn = (s.turn + 1) % len(turns)

	if due, any := s.classes[claimant].earliest(); any && due-s.patience[claimant] <= s.now {
		return claimant
	}

	chosen, earliest, found := claimant, int64(0), false

	for _, candidate := range precedence {
		due, any := s.classes[candidate].earliest()
		if any && (!found || due < earliest) {
			chosen, earliest, found = candidate, due, true
		}
	}

	return chosen
}
