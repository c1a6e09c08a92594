package fleet

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
)

const (
	// SurgeFull is how long after its beginning a surge has filled the allocation, so that work is refused.
	SurgeFull = 14 * time.Second
	// surgeRise is how long the memory of a surge rises.
	surgeRise = 20 * time.Second
	// surgeFrom and surgeTo are shares of the allocation at the start of the surge: where its memory is at the beginning
	// and where it stays. The end is less than what the two-window rule gives after refused work, so that the surge is
	// over with the new size.
	surgeFrom, surgeTo = 0.8, 1.1
	// surgeQueries is the share of its memory that queries hold.
	surgeQueries = 0.6
)

// surge is a service that suddenly wants more memory than it has, and goes on wanting it.
type surge struct {
	begin time.Time
	limit float64 // the allocation at the beginning, in bytes
}

// Surge has the service want more memory than it has, from a moment on.
func (f *Fleet) Surge(i int, begin time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.surges[i] = surge{begin: begin, limit: float64(f.allocations[i].MemoryBytes)}
}

// apply raises the demand for memory to that of the surge.
func (s *surge) apply(demand workload.Demand, at time.Time) workload.Demand {
	passed := at.Sub(s.begin)
	if passed < 0 {
		return demand
	}

	share := min(1, float64(passed)/float64(surgeRise))
	wanted := s.limit * (surgeFrom + (surgeTo-surgeFrom)*share)

	// Also replaces NaN, unlike the built-in max.
	demand.ResidentBytes = math.Max(wanted, orZero(demand.ResidentBytes))
	demand.QueryBytes = math.Max(wanted*surgeQueries, orZero(demand.QueryBytes))

	return demand
}

// orZero takes what is not known for nothing.
func orZero(amount float64) float64 {
	if math.IsNaN(amount) {
		return 0
	}

	return amount
}
