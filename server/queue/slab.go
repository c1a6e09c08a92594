package queue

const (
	// chunkSize is the number of items that are allocated at a time.
	chunkSize = 256
	// keptChunks is how many chunks an empty slab keeps in any case.
	keptChunks = 16
)

// slab holds the items. They lie in chunks that never move, and a place that is given back is used again first.
type slab struct {
	chunks []*[chunkSize]item
	// free is the first of the places that were given back, zero if there is none.
	free uint32
	// used is the latest place that was handed out for the first time, taken the number of those that are in use. There is
	// no place zero.
	used, taken uint32
	// peak is the most that were in use since the slab was empty.
	peak uint32
}

// at returns the item in a place.
func (s *slab) at(place uint32) *item {
	return &s.chunks[place/chunkSize][place%chunkSize]
}

// get is at for a place that may be none.
func (s *slab) get(place uint32) *item {
	if place == 0 {
		return nil
	}

	return s.at(place)
}

// take returns an empty item.
func (s *slab) take() *item {
	s.taken++
	s.peak = max(s.peak, s.taken)

	if s.free != 0 {
		it := s.at(s.free)
		s.free, it.next = it.next, 0

		return it
	}

	if s.used++; int(s.used) >= len(s.chunks)*chunkSize {
		s.chunks = append(s.chunks, new([chunkSize]item))
	}

	it := s.at(s.used)
	it.slot = s.used

	return it
}

// give takes back an item that nothing refers to any more.
func (s *slab) give(it *item) {
	s.taken--
	*it = item{slot: it.slot, next: s.free}
	s.free = it.slot
}

// oversized reports, of an empty slab, that far less was used since it was empty for the last time than it has room for.
// What a flood leaves is kept once, because floods come again: a queue that fills and empties all the time is the usual
// one, and would else be busy with making room.
func (s *slab) oversized() bool {
	const slack = 4

	oversized := len(s.chunks) > keptChunks && int(s.peak) < len(s.chunks)*chunkSize/slack
	s.peak = 0

	return oversized
}
