package queue

func (s *shard) insert(added slot) {
	if s.taken >= len(s.slots)/4*3 {
		s.resize(max(smallest, 2*len(s.slots)))
	}

	s.put(added)
	s.taken++
}

// remove empties a slot and moves those behind it up, so that no search ends too early.
func (s *shard) remove(gone slot) {
	mask := uint32(len(s.slots) - 1)

	hole := gone.tag() & mask
	for s.slots[hole] != gone {
		hole = (hole + 1) & mask
	}

	for at := (hole + 1) & mask; s.slots[at] != 0; at = (at + 1) & mask {
		// An entry may fill the hole if that does not bring it before the slot where its search starts.
		home := s.slots[at].tag() & mask
		if (at-home)&mask >= (at-hole)&mask {
			s.slots[hole] = s.slots[at]
			hole = at
		}
	}

	s.slots[hole] = 0
	s.taken--

	if len(s.slots) > smallest && s.taken < len(s.slots)/8 {
		s.resize(len(s.slots) / 2)
	}
}

func (s *shard) resize(slots int) {
	old := s.slots
	s.slots = make([]slot, slots)

	for _, moved := range old {
		if moved != 0 {
			s.put(moved)
		}
	}
}

func (s *shard) put(added slot) {
	mask := uint32(len(s.slots) - 1)

	at := added.tag() & mask
	for s.slots[at] != 0 {
		at = (at + 1) & mask
	}

	s.slots[at] = added
}
