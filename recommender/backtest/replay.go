package backtest

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// replay is one service with one player.
type replay struct {
	config     *Config
	series     *Series
	player     Player
	recorder   *recorder // nil when nothing is drawn
	allocation size.Size
	flight     flight
	score      score
	slot       int64 // the next regular question, in seconds since 1970
	interval   int64 // seconds
	steady     steady
	decisions  int64
}

// steady says which resources the recording does not have at all.
type steady struct{ cpu, memory bool }

// What is played for a resource that was not recorded.
const (
	steadyCPUMillis   = 10
	steadyMemoryBytes = 64 << 20
)

func newReplay(config *Config, series *Series, player Player) *replay {
	cpu, memory := series.known()
	first := series.Samples[0]
	begin := first.Time - first.Seconds

	r := &replay{
		config: config, series: series, player: player, steady: steady{!cpu, !memory},
		flight: flight{delay: seconds(config.Delay)}, interval: seconds(config.Interval), slot: first.Time,
		score: newScore(begin + seconds(config.Warmup)),
	}
	r.allocation = r.start(begin)

	return r
}

// start is the first size.
func (r *replay) start(begin int64) size.Size {
	const day = 24 * 3600

	warmup := seconds(r.config.Warmup)
	if warmup == 0 {
		warmup = day
	}

	peak := r.series.peak(begin + warmup)

	if r.steady.cpu {
		peak.CPUMillis = 2 * steadyCPUMillis
	}

	if r.steady.memory {
		peak.MemoryBytes = 2 * steadyMemoryBytes
	}

	start := size.Resources{CPUMillis: 1, MemoryBytes: 1}.Max(peak)

	for _, resource := range size.Both() {
		switch {
		case r.config.Start.Resources().Get(resource) > 0:
			start = start.Set(resource, r.config.Start.Resources().Get(resource))
		case r.series.Provisioned.Get(resource) > 0:
			start = start.Set(resource, r.series.Provisioned.Get(resource))
		}
	}

	return size.Size{Replicas: max(1, r.config.Start.Replicas)}.With(start)
}

// run plays all samples.
func (r *replay) run() {
	for i := range r.series.Samples {
		sample := &r.series.Samples[i]

		// What happens at the time of the sample comes after it.
		r.advance(sample.Time - 1)

		verdict := r.score.sample(sample, r.allocation)
		r.observe(sample, verdict)

		if r.recorder != nil {
			r.recorder.sample(sample, r.allocation)
		}

		r.advance(sample.Time)

		if r.config.Signals && verdict.short() && r.slot != sample.Time+r.interval {
			r.ask(sample.Time, false)
		}
	}

	r.score.end(r.series.Samples[len(r.series.Samples)-1].Time)
}

// advance lets pass the time until a moment: changes take effect and regular questions are asked.
func (r *replay) advance(until int64) {
	for ; r.slot <= until; r.slot += r.interval {
		r.land(r.slot)
		r.ask(r.slot, true)
	}

	r.land(until)
}

func (r *replay) land(until int64) {
	for {
		landed, at, ok := r.flight.land(until)
		if !ok {
			return
		}

		r.score.resize(at, r.allocation, landed)
		r.allocation = landed
	}
}

func (r *replay) ask(now int64, periodic bool) {
	r.decisions++

	answer := r.player.Decide(Moment{Now: time.Unix(now, 0).UTC(), Allocation: r.allocation, Periodic: periodic})
	if r.recorder != nil {
		r.recorder.recommended = answer.Size
	}

	if answer.Observed {
		return
	}

	r.flight.order(now, r.allocation, answer.Size)

	if r.flight.delay == 0 {
		r.land(now)
	}
}

// observe shows the player a sample, and what came of it.
func (r *replay) observe(sample *Sample, verdict verdict) {
	seen := history.Sample{
		Time: sample.Time, Minutes: max(1, sample.Seconds/60), CPUKnown: sample.CPUKnown, MemoryKnown: sample.MemoryKnown,
	}

	replicas := float64(r.allocation.Replicas)
	seen.CPUMillis, seen.MemoryBytes = sample.CPUMillis/replicas, float64(sample.MemoryBytes)/replicas

	if r.config.Capped {
		seen.CPUMillis = min(seen.CPUMillis, float64(r.allocation.CPUMillis))
		seen.MemoryBytes = min(seen.MemoryBytes, float64(r.allocation.MemoryBytes))
	}

	if r.steady.cpu {
		seen.CPUMillis, seen.CPUKnown = steadyCPUMillis, true
	}

	if r.steady.memory {
		seen.MemoryBytes, seen.MemoryKnown = steadyMemoryBytes, true
	}

	seen.CPUTotalMillis, seen.MemoryTotalBytes = seen.CPUMillis*replicas, seen.MemoryBytes*replicas
	r.player.Observe(seen)

	if verdict.memoryShort {
		r.player.Kill(sample.Time, r.allocation.MemoryBytes)
	}
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
