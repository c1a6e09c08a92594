package workload

import (
	"math"
	"math/rand/v2"
	"time"
)

// level is how much of its peak a replica wants.
type level struct {
	cpu, memory float64
}

// shape is a class with the numbers that differ from service to service.
type shape struct {
	class Class
	// peakHour is when the daily wave is highest, in hours of the day, UTC.
	peakHour float64
	// restartPeriod is the time between two restarts of a replica.
	restartPeriod time.Duration
}

func newShape(class Class, random *rand.Rand) shape {
	const (
		firstPeak, lastPeak          = 8, 20
		shortestPeriod, periodSpread = 4 * time.Hour, 5 * time.Hour
	)

	return shape{
		class:         class,
		peakHour:      between(firstPeak, lastPeak, random.Float64()),
		restartPeriod: shortestPeriod + time.Duration(random.Int64N(int64(periodSpread/time.Minute)))*time.Minute,
	}
}

// level is the pattern itself, before the noise on the CPU.
func (s *shape) level(at, origin time.Time, seed uint64) level {
	switch s.class {
	case Daily:
		return s.daily(at)
	case Bursts:
		return bursts(at, seed)
	case Growth:
		return growth(at, origin)
	case Restarts:
		return s.restarts(at, seed)
	case Flat:
	}

	return flat(at, seed)
}

// flat drifts a little, from one half hour to the next.
func flat(at time.Time, seed uint64) level {
	const (
		low   = 0.88
		drift = 30 * time.Minute
	)

	return level{cpu: between(low, 1, noise(seed, streamDrift, slot(at, drift))), memory: 1}
}

// daily is a wave with a broad trough and a narrower peak.
func (s *shape) daily(at time.Time) level {
	const (
		low, lowMemory = 0.25, 0.7
		day            = 24
		sharpness      = 1.5
	)

	hour := float64(at.UTC().Sub(at.UTC().Truncate(day*time.Hour))) / float64(time.Hour)
	wave := math.Pow((1+math.Cos(2*math.Pi*(hour-s.peakHour)/day))/2, sharpness)

	return level{cpu: between(low, 1, wave), memory: between(lowMemory, 1, wave)}
}

// growth is a straight line through the origin that ends at both sides.
func growth(at, origin time.Time) level {
	const (
		atOrigin, pace, floor, ceiling = 0.85, 0.5, 0.35, 1.5
		span                           = 30 * time.Hour
		fixedMemory                    = 0.6
	)

	line := atOrigin + pace*float64(at.Sub(origin))/float64(span)
	cpu := min(max(line, floor), ceiling)

	return level{cpu: cpu, memory: fixedMemory + (1-fixedMemory)*cpu}
}
