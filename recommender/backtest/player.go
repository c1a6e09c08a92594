package backtest

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// Player sizes one service. It is told what happens in the order of time and need not be safe for concurrent use.
type Player interface {
	// Observe takes in the next sample.
	Observe(sample history.Sample)
	// Kill takes in that a process was killed for lack of memory. It comes after the sample that did not fit.
	Kill(seconds, residentBytes int64)
	// Decide returns the size that the service should have.
	Decide(moment Moment) Answer
}

// Moment is when a player is asked, and what the service has.
type Moment struct {
	// Now is the time.
	Now time.Time
	// Allocation is the size in effect.
	Allocation size.Size
	// Periodic reports that it is a regular question, and not one because something did not fit.
	Periodic bool
}

// Answer is what a player wants.
type Answer struct {
	// Size is what the service should have.
	Size size.Size
	// Observed reports that the size is only to be looked at: it does not take effect.
	Observed bool
}

// Contender is one way to size services.
type Contender struct {
	// Name is what reports call it.
	Name string
	// Params are its constants, for reports; may be nil.
	Params map[string]any
	// New makes a player for one service.
	New func(service *Series) (Player, error)
}
