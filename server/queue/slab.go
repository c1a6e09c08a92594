package queue

const (
	// chunkSize is the number of items that are allocated at a time.
	chunkSize = 256
	// keptChunks is how many chunks an empty slab keeps.
	keptChunks = 16
)

// slab holds the items. They lie in chunks that never move, and a place that is given back is used again first. Most
// memory is returned when there is no item left.
type slab struct {
	chunks []*[chunkSize]item
	// free links the places that were given back.
	free *item
	// used is the number of places that were ever handed out, taken those that are in use.
	used, taken uint32
}

// at returns the item in a place.
func (s *slab) at(place uint64) *item {
	return &s.chunks[place/chunkSize][place%chunkSize]
}

// take returns an empty item.
func (s *slab) take() *item {
	s.taken++

	if it := s.free; it != nil {
		s.free, it.next = it.next, nil

		return it
	}

	if int(s.used) == len(s.chunks)*chunkSize {
		s.chunks = append(s.chunks, new([chunkSize]item))
	}

	it := s.at(uint64(s.used))
	it.slot = s.used
	s.used++

	return it
}

// give takes back an item that nothing refers to any more.
func (s *slab) give(it *item) {
	s.taken--

	if s.taken == 0 && len(s.chunks) > keptChunks {
		*s = slab{}

		return
	}

	*it = item{slot: it.slot, next: s.free}
	s.free = it
}
