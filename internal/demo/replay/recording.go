package replay

import (
	"iter"
	"math"
	"sort"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/workload"
	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// recording is the part of one service's samples that is replayed.
type recording struct {
	samples []trace.Sample // the history and what comes after it
	history int            // how many of them are the history
	shift   time.Duration  // from the time of the recording to ours
}

// newRecording copies what it needs of samples; false when they hold no history.
func newRecording(samples []trace.Sample, now time.Time) (*recording, bool) {
	first, last, ok := pick(samples)
	if !ok {
		return nil, false
	}

	return &recording{
		samples: append([]trace.Sample(nil), samples[first:]...),
		history: last - first + 1,
		shift:   now.Sub(samples[last].Time()),
	}, true
}

// past yields the moments of the recorded samples, in our time.
func (r *recording) past(from, to time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for _, sample := range r.samples[:r.history] {
			at := sample.Time().Add(r.shift)
			if !at.Before(from) && !at.After(to) && !yield(at) {
				return
			}
		}
	}
}

// demand returns what was used at a moment of our time.
func (r *recording) demand(_ int, at time.Time) workload.Demand {
	recorded := r.looped(at.Add(-r.shift))

	// The first sample after the moment, so the one before it holds.
	next := sort.Search(len(r.samples), func(i int) bool { return r.samples[i].Time().After(recorded) })
	unknown := workload.Demand{CPUCores: math.NaN(), ResidentBytes: math.NaN(), QueryBytes: math.NaN()}

	if next == 0 {
		return unknown
	}

	sample := r.samples[next-1]
	if recorded.Sub(sample.Time()) > maxGap {
		return unknown
	}

	if sample.CPUKnown {
		unknown.CPUCores = sample.CPUCores
	}

	if sample.MemoryKnown {
		unknown.ResidentBytes = float64(sample.MemoryBytes)
	}

	return unknown
}

// looped brings a moment after the end of the recording back into its last day.
func (r *recording) looped(at time.Time) time.Time {
	end := r.samples[len(r.samples)-1].Time()
	if beyond := at.Sub(end); beyond > 0 {
		return end.Add(-loop + beyond%loop)
	}

	return at
}
