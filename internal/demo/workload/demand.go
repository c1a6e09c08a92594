package workload

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// jitterSlot is how long the noise on the CPU stays the same.
	jitterSlot = 15 * time.Second
	// jitter is how far that noise lowers the CPU at most, as a share.
	jitter = 0.04
	// leastSkew is the load of the idlest replica, as a share of the busiest one's.
	leastSkew = 0.88
	// lightQueries and heavyQueries bound what queries hold at full load, as a share of resident memory.
	lightQueries, heavyQueries = 0.2, 0.5
	// idleQueries is what is left of that without load.
	idleQueries = 0.5
	// rippleLimit and rippleShare bound how far resident memory lies below its level.
	rippleLimit, rippleShare = 64 * mebibyte, 0.02
	rippleSlot               = time.Minute
)

// Demand is what one replica of a service wants at one moment. All numbers are 0 or more and finite.
type Demand struct {
	// CPUCores is CPU in cores.
	CPUCores float64
	// ResidentBytes is resident memory.
	ResidentBytes float64
	// QueryBytes is the memory that queries hold at once, which is part of ResidentBytes.
	QueryBytes float64
}

// Use is what a replica gets of its demand.
type Use struct {
	Demand

	// Rejections is how many requests were refused for lack of memory: one for each started 2 % by which the demand
	// exceeds the allocation.
	Rejections int
}

// Demand returns what the replica, counted from 0, wants at the moment.
func (s *Service) Demand(replica int, at time.Time) Demand {
	seed := s.seed + mix(uint64(replica)) //nolint:gosec // not negative
	level := s.shape.level(at, s.origin, seed)
	load := skew(seed, replica)

	cpu := level.cpu * (1 - jitter*noise(seed, streamJitter, slot(at, jitterSlot)))
	resident := s.peak.ResidentBytes * level.memory * load
	ripple := noise(seed, streamRipple, slot(at, rippleSlot)) * min(rippleLimit, rippleShare*resident)

	d := Demand{CPUCores: s.peak.CPUCores * cpu * load, ResidentBytes: resident - ripple}
	d.QueryBytes = d.ResidentBytes * s.query * between(idleQueries, 1, min(1, cpu))

	return d
}

// Under returns what a replica with the allocation gets; an allocation of 0 in a resource does not limit it.
func (d Demand) Under(allocation size.Size) Use {
	use := Use{Demand: d}

	if limit := cores(allocation.CPUMillis); limit > 0 {
		use.CPUCores = min(d.CPUCores, limit)
	}

	if limit := float64(allocation.MemoryBytes); limit > 0 && d.ResidentBytes > limit {
		const step = 0.02

		use.Rejections = int(math.Ceil((d.ResidentBytes/limit - 1) / step))
		use.ResidentBytes = limit
		use.QueryBytes = min(d.QueryBytes, limit)
	}

	return use
}

// skew is the load of one replica as a share of the busiest one's, which is the first.
func skew(seed uint64, replica int) float64 {
	if replica == 0 {
		return 1
	}

	return between(leastSkew, 1, noise(seed, streamSkew, 0))
}

// slot numbers the spans of time since 1970.
func slot(at time.Time, span time.Duration) int64 {
	return floorDiv(at.UnixNano(), int64(span))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}

	return q
}
