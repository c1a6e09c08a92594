package queue

// slot has an item's hash in its upper half and its place in the lower; zero is empty.
type slot uint64

func newSlot(hash, place uint32) slot {
	return slot(hash)<<32 | slot(place)
}

func (s slot) hash() uint32  { return uint32(s >> 32) }
func (s slot) place() uint32 { return uint32(s & (1<<32 - 1)) }

// shard is a table with linear probing.
type shard struct {
	// slots are a power of two in number, and mask is one less. Half are taken at most: a fuller one is searched
	// for long.
	slots []slot
	mask  uint32
	taken int
}

// fewestSlots is the number of slots that a shard starts with.
const fewestSlots = 8

func (s *shard) insert(added slot) {
	switch {
	case s.slots == nil:
		s.resize(fewestSlots)
	case s.taken >= len(s.slots)/2:
		s.resize(2 * (s.mask + 1))
	}

	s.put(added)
	s.taken++
}

// remove empties a slot and moves those behind it up, so that no search ends too early.
func (s *shard) remove(gone slot) {
	hole := gone.hash() & s.mask
	for s.slots[hole] != gone {
		hole = (hole + 1) & s.mask
	}

	for at := (hole + 1) & s.mask; s.slots[at] != 0; at = (at + 1) & s.mask {
		// One may fill the hole unless that brings it before the slot where the search for it starts.
		home := s.slots[at].hash() & s.mask
		if (at-home)&s.mask >= (at-hole)&s.mask {
			s.slots[hole] = s.slots[at]
			hole = at
		}
	}

	s.slots[hole] = 0
	s.taken--
}

func (s *shard) resize(slots uint32) {
	old := s.slots
	s.slots, s.mask = make([]slot, slots), slots-1

	for _, moved := range old {
		if moved != 0 {
			s.put(moved)
		}
	}
}

func (s *shard) put(added slot) {
	at := added.hash() & s.mask
	for s.slots[at] != 0 {
		at = (at + 1) & s.mask
	}

	s.slots[at] = added
}
