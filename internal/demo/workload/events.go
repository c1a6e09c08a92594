package workload

import "time"

// bursts are at rest but for one burst in every second slot, on average.
func bursts(at time.Time, seed uint64) level {
	const (
		slotLength       = 2 * time.Hour
		chance           = 0.5
		shortest         = 15 * time.Minute
		longest          = 40 * time.Minute
		lowest           = 0.7
		rest, restMemory = 0.2, 0.5
	)

	n := slot(at, slotLength)
	quiet := level{cpu: rest, memory: restMemory}

	if noise(seed, streamBurst, n) >= chance {
		return quiet
	}

	length := stretch(shortest, longest, noise(seed, streamBurstLength, n))
	start := stretch(0, slotLength-length, noise(seed, streamBurstStart, n))
	into := time.Duration(at.UnixNano()-n*int64(slotLength)) - start

	if into < 0 || into >= length {
		return quiet
	}

	height := between(lowest, 1, noise(seed, streamBurstHeight, n))

	return level{cpu: height, memory: between(restMemory, 1, height)}
}

// restarts loses its memory at regular times and gets it back as caches fill. Each replica has its own
// seed, and with it its own time within the period.
func (s *shape) restarts(at time.Time, seed uint64) level {
	const (
		usual, busy = 0.8, 1.0
		fill        = 5 * time.Minute
		recovery    = 40 * time.Minute
		leastMemory = 0.15
	)

	shift := stretch(0, s.restartPeriod, noise(seed, streamShift, 0))
	since := time.Duration(at.UnixNano()+int64(shift)) % s.restartPeriod

	if since < 0 {
		since += s.restartPeriod
	}

	l := level{cpu: usual, memory: 1}
	if since < fill {
		l.cpu = busy
	}

	if since < recovery {
		l.memory = between(leastMemory, 1, float64(since)/float64(recovery))
	}

	return l
}

// stretch is between for durations.
func stretch(low, high time.Duration, noise float64) time.Duration {
	return low + time.Duration(float64(high-low)*noise)
}
