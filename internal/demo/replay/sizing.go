package replay

import (
	"math"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// bandLow and bandHigh are the edges of the band in which the two-window rule keeps CPU, as shares of the allocation.
	bandLow, bandHigh = 0.375, 0.75
	// stableHeadroom is what the rule multiplies the memory peak of stable use with.
	stableHeadroom = 1.25
	// guessPerCore is the memory for each core where nothing is known of memory.
	guessPerCore = 4 << 30
)

// allocation returns the size that the service starts with, and whether a part of it was derived.
func (r *recording) allocation(known trace.Service) (size.Size, bool) {
	provisioned := size.Resources{
		CPUMillis:   int64(math.Round(known.ProvisionedCores * 1000)),
		MemoryBytes: known.ProvisionedBytes,
	}

	derived := false
	if provisioned.CPUMillis == 0 || provisioned.MemoryBytes == 0 {
		derived = true
		need := r.need()

		// A part that is known stays as it is.
		if provisioned.CPUMillis == 0 {
			provisioned.CPUMillis = need.CPUMillis
		}

		if provisioned.MemoryBytes == 0 {
			provisioned.MemoryBytes = need.MemoryBytes
		}
	}

	return size.Size{Replicas: 1}.With(provisioned), derived
}

// need is the size that the two-window rule would hold for the recorded history.
func (r *recording) need() size.Resources {
	var (
		cores  float64
		memory int64
	)

	for _, sample := range r.samples[:r.history] {
		cores = max(cores, sample.CPUCores)
		memory = max(memory, sample.MemoryBytes)
	}

	need := size.Resources{
		CPUMillis:   int64(math.Ceil(cores * 1000 / math.Sqrt(bandLow*bandHigh))),
		MemoryBytes: int64(math.Ceil(float64(memory) * stableHeadroom)),
	}

	if memory == 0 {
		need.MemoryBytes = need.CPUMillis * guessPerCore / 1000
	}

	p := policy.Default()

	return p.Fitted(need)
}
