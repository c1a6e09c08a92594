package backtest

import (
	"iter"
	"slices"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// Series is the recorded usage of one service.
type Series struct {
	// Service is its name.
	Service string
	// Labels are what policies match, besides the name.
	Labels map[string]string
	// Provisioned is what its owner had given each replica; a resource of 0 is not known.
	Provisioned size.Resources
	// Samples are in the order of time, at most one for each minute.
	Samples []Sample
}

// Sample is what a service used on average over a stretch of time, all replicas together.
type Sample struct {
	// Time is the end of the stretch, in seconds since 1970.
	Time int64
	// Seconds is how long the stretch is.
	Seconds int64
	// CPUMillis is in thousandths of a core; 0 unless CPUKnown.
	CPUMillis float64
	// MemoryBytes is in bytes; 0 unless MemoryKnown.
	MemoryBytes int64
	// CPUKnown and MemoryKnown report that the recording has the value.
	CPUKnown, MemoryKnown bool
}

// Source is a recording. It is read from the beginning with each loop. A fault is yielded last.
type Source = iter.Seq2[*Series, error]

// known reports which resources any sample has.
func (s *Series) known() (cpu, memory bool) {
	for i := range s.Samples {
		cpu, memory = cpu || s.Samples[i].CPUKnown, memory || s.Samples[i].MemoryKnown
		if cpu && memory {
			break
		}
	}

	return cpu, memory
}

// mean returns the mean use.
func (s *Series) mean() (millis, bytes float64) {
	cpus, memories := 0, 0

	for i := range s.Samples {
		if s.Samples[i].CPUKnown {
			millis += s.Samples[i].CPUMillis
			cpus++
		}

		if s.Samples[i].MemoryKnown {
			bytes += float64(s.Samples[i].MemoryBytes)
			memories++
		}
	}

	return millis / float64(max(1, cpus)), bytes / float64(max(1, memories))
}

// peak returns the highest use until a time.
func (s *Series) peak(until int64) size.Resources {
	var peak size.Resources

	for i := range s.Samples {
		if s.Samples[i].Time > until {
			break
		}

		peak = peak.Max(s.Samples[i].covering())
	}

	return peak
}

// covering is the smallest allocation that the sample fits into.
func (s *Sample) covering() size.Resources {
	return size.Resources{CPUMillis: ceil(s.CPUMillis), MemoryBytes: s.MemoryBytes}
}

// SetStretches sets how long a stretch each sample speaks of: the time since the one before it. After a gap it is what is
// usual, the median.
func (s *Series) SetStretches() {
	samples := s.Samples
	if len(samples) < 2 {
		for i := range samples {
			samples[i].Seconds = lonely
		}

		return
	}

	steps := make([]int64, 0, len(samples))
	for i := range samples[1:] {
		steps = append(steps, samples[i+1].Time-samples[i].Time)
	}

	sorted := slices.Clone(steps)
	slices.Sort(sorted)
	usual := sorted[(len(sorted)-1)/2]

	samples[0].Seconds = usual

	for i, step := range steps {
		if step > usual+usual/2 {
			step = usual
		}

		samples[i+1].Seconds = step
	}
}

// lonely is the stretch of a sample that is the only one, in seconds.
const lonely = 60
