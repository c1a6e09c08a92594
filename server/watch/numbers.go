package watch

// numbers are small numbers that stand for services. One that was given back is given out again, so that they stay small.
type numbers struct {
	next uint32 // the smallest that was never given out
	free []uint32
}

func (n *numbers) take() uint32 {
	if last := len(n.free) - 1; last >= 0 {
		number := n.free[last]
		n.free = n.free[:last]

		return number
	}

	n.next++

	return n.next - 1
}

func (n *numbers) giveBack(number uint32) { n.free = append(n.free, number) }

// numberSet is a set of numbers, which takes a bit for each where they lie close together. A set of 100,000 names would
// take 3 MB, for every reader that may cease to want a service.
type numberSet map[uint32]*[pageWords]uint64

const (
	wordBits  = 64
	pageWords = 32
	pageBits  = wordBits * pageWords
)

func (s numberSet) add(number uint32) {
	page := s[number/pageBits]
	if page == nil {
		page = new([pageWords]uint64)
		s[number/pageBits] = page
	}

	page[number%pageBits/wordBits] |= 1 << (number % wordBits)
}

func (s numberSet) remove(number uint32) {
	if page := s[number/pageBits]; page != nil {
		page[number%pageBits/wordBits] &^= 1 << (number % wordBits)
	}
}

func (s numberSet) has(number uint32) bool {
	page := s[number/pageBits]

	return page != nil && page[number%pageBits/wordBits]&(1<<(number%wordBits)) != 0
}
