package backtest

import (
	"github.com/tidemark-project/tidemark/recommender/size"
)

// score is how a replay of one service goes.
type score struct {
	from         int64 // what ends after it counts, in seconds since 1970
	seconds      int64
	shortSeconds int64 // in which any resource was too small
	resizes      int64
	kills        int64 // each run of samples that do not fit into the memory counts once
	killed       bool
	cpu, memory  resourceScore
	fleet        timeline
}

// resourceScore is how one resource goes. Amounts are millicores or bytes.
type resourceScore struct {
	samples      int64
	seconds      int64
	slack        float64 // sum over the samples of the idle share of the allocation
	shortSeconds int64
	allocated    float64 // amount times seconds
	used         float64
	resizes      int64
	descent      descent
}

func newScore(from int64) score {
	return score{from: from}
}

// verdict says what a sample was too large for.
type verdict struct{ cpuShort, memoryShort bool }

func (v verdict) short() bool { return v.cpuShort || v.memoryShort }

// sample judges a sample by the size that was in effect.
func (s *score) sample(sample *Sample, allocation size.Size) verdict {
	replicas := float64(allocation.Replicas)
	cpu, memory := float64(allocation.CPUMillis)*replicas, float64(allocation.MemoryBytes)*replicas
	bytes := float64(sample.MemoryBytes)

	verdict := verdict{
		cpuShort:    sample.CPUKnown && sample.CPUMillis > cpu,
		memoryShort: sample.MemoryKnown && bytes > memory,
	}

	counts := sample.Time > s.from
	if counts {
		s.count(sample, verdict)
		s.fleet.add(sample, cpu, memory)
	}

	if sample.CPUKnown {
		s.cpu.sample(sample, sample.CPUMillis, cpu, counts)
	}

	if sample.MemoryKnown {
		s.memory.sample(sample, bytes, memory, counts)
		s.killed = verdict.memoryShort
	}

	return verdict
}

func (s *score) count(sample *Sample, verdict verdict) {
	s.seconds += sample.Seconds

	if verdict.short() {
		s.shortSeconds += sample.Seconds
	}

	if verdict.memoryShort && !s.killed {
		s.kills++
	}
}

func (r *resourceScore) sample(sample *Sample, use, allocated float64, counts bool) {
	r.descent.sample(sample.Time, use, allocated, counts)

	if !counts {
		return
	}

	stretch := float64(sample.Seconds)
	r.samples++
	r.seconds += sample.Seconds
	r.slack += max(0, allocated-use) / allocated
	r.allocated += allocated * stretch
	r.used += use * stretch

	if use > allocated {
		r.shortSeconds += sample.Seconds
	}
}

// resize counts a change that took effect.
func (s *score) resize(at int64, before, after size.Size) {
	if at <= s.from || before == after {
		return
	}

	s.resizes++

	if before.CPUMillis != after.CPUMillis {
		s.cpu.resizes++
	}

	if before.MemoryBytes != after.MemoryBytes {
		s.memory.resizes++
	}
}

// end closes the account after the last sample.
func (s *score) end(at int64) {
	s.cpu.descent.end(at)
	s.memory.descent.end(at)
}
