package replay

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

const (
	// history is what is replayed as the past, and needs to be recorded without a long gap.
	history = 30 * time.Hour
	// future is what is kept back for after now, where there is enough.
	future = 2 * time.Hour
	// maxGap is how long a recording may pause within the history.
	maxGap = 30 * time.Minute
	// loop is what is repeated at the end of a recording: a whole day, so that daily waves fit together.
	loop = 24 * time.Hour
)

// pick finds the last history without a long gap. It returns the sample with which it begins, and the one with which it
// ends; false when there is none. The history ends early enough to leave a future if it can.
func pick(samples []trace.Sample) (first, last int, ok bool) {
	if len(samples) == 0 {
		return 0, 0, false
	}

	end := samples[len(samples)-1].UnixSeconds
	if first, last, ok := pickUpTo(samples, end-seconds(future)); ok {
		return first, last, true
	}

	return pickUpTo(samples, end)
}

// pickUpTo is pick for histories that end by a moment. It goes backward from there: whenever it meets a gap, the history
// has to end before that.
func pickUpTo(samples []trace.Sample, end int64) (first, last int, ok bool) {
	last = len(samples) - 1
	for last >= 0 && samples[last].UnixSeconds > end {
		last--
	}

	for first = last; first > 0; first-- {
		at, before := samples[first].UnixSeconds, samples[first-1].UnixSeconds

		switch {
		case at-before > seconds(maxGap):
			last = first - 1
		case samples[last].UnixSeconds-before >= seconds(history):
			return first - 1, last, true
		}
	}

	return 0, 0, false
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
