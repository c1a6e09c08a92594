package workload

import (
	"math/rand/v2"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30

	// usualUse is the share of a sensible CPU allocation that the peak takes: the middle of the band, 37.5 to 75 %.
	usualUse = 0.55
	// stableHeadroom and spikyHeadroom are what the two-window rule multiplies peaks of memory with.
	stableHeadroom, spikyHeadroom = 1.25, 1.1
	// stepMargin is how far below a step of the policy the need for memory lies, in steps, so that a little more or less
	// does not change the size.
	stepMargin = 0.4
	// nearlyFull is the share of a too small memory allocation that the peak takes: just short of refused work.
	nearlyFull = 0.95
)

// sensibleSize draws a size of the default policy: mostly small, with 2, 4 or 8 GiB for each core and 1 to 3 replicas.
func sensibleSize(random *rand.Rand) size.Size {
	cores := [...]int64{500, 1000, 1000, 2000, 2000, 2000, 4000, 4000, 8000, 16000}
	perCore := [...]int64{2, 4, 4, 8}

	cpu := cores[random.IntN(len(cores))]

	return size.Size{
		CPUMillis:   cpu,
		MemoryBytes: max(cpu*perCore[random.IntN(len(perCore))]*gibibyte/1000, gibibyte),
		Replicas:    1 + random.Int32N(3), //nolint:mnd // up to three
	}
}

// peakFor is the peak that a size is sensible for.
func (s *Service) peakFor(sensible size.Size) Demand {
	headroom := stableHeadroom
	if s.Class == Bursts {
		headroom = spikyHeadroom
	}

	step := float64(policy.Default().StepMemoryBytes)
	resident := (float64(sensible.MemoryBytes) - stepMargin*step) / headroom

	// The peaks of growth are those of the origin, and are yet to grow.
	start := s.shape.level(s.origin, s.origin, s.seed)
	if s.Class == Growth {
		return Demand{
			CPUCores:      cores(sensible.CPUMillis) * usualUse / start.cpu,
			ResidentBytes: resident / start.memory,
		}
	}

	return Demand{CPUCores: cores(sensible.CPUMillis) * usualUse, ResidentBytes: resident}
}

// misfit makes a sensible size too large or too small, as the service's fit demands.
func (s *Service) misfit(sensible size.Size, random *rand.Rand) size.Size {
	// Drawn in any case, so that the fit does not change what is drawn after it.
	factor := int64(2 + random.IntN(3)) //nolint:mnd // two to four times
	which := random.IntN(3)             //nolint:mnd // CPU, memory or both

	switch s.Fit {
	case Over:
		if which != 1 {
			sensible.CPUMillis *= factor
		}

		if which != 0 {
			sensible.MemoryBytes = min(sensible.MemoryBytes*factor, policy.Default().Max.MemoryBytes)
		}
	case Under:
		p := policy.Default()
		full := s.peak.ResidentBytes / nearlyFull
		sensible.CPUMillis /= 2
		sensible.MemoryBytes = p.Fitted(size.Resources{CPUMillis: 1, MemoryBytes: int64(full)}).MemoryBytes
	case Fitting:
	}

	return sensible
}

func cores(millis int64) float64 { return float64(millis) / 1000 }
