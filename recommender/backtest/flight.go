package backtest

import "github.com/tidemark-project/tidemark/recommender/size"

// flight is the change that is under way, and the one that waits for it. A platform can start a change again and again
// and never end one, if each new wish begins from the start; so what is under way is let end.
type flight struct {
	delay   int64 // seconds
	target  size.Size
	landing int64 // seconds since 1970
	flying  bool
	next    size.Size
	waiting bool
}

// order asks for a size. While a change is under way the wish waits, in place of any that waited before; a wish for the
// size in effect or for the one under way takes that wish back.
func (f *flight) order(now int64, allocation, wanted size.Size) {
	switch {
	case f.flying:
		f.next, f.waiting = wanted, wanted != allocation && wanted != f.target
	case wanted != allocation:
		f.target, f.landing, f.flying = wanted, now+f.delay, true
	}
}

// land ends the change that is due until a time, if there is one, and starts the one that waits.
func (f *flight) land(until int64) (size.Size, int64, bool) {
	if !f.flying || f.landing > until {
		return size.Size{}, 0, false
	}

	landed, at := f.target, f.landing
	f.flying = false

	if f.waiting {
		f.waiting = false
		f.order(at, landed, f.next)
	}

	return landed, at, true
}
