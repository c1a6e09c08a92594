package clickhouse

import (
	"math"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// byMinute are values by replica and minute.
type byMinute map[string]map[int64]float64

func scaled(values byMinute, by float64) byMinute {
	for _, minutes := range values {
		for minute, value := range minutes {
			minutes[minute] = value * by
		}
	}

	return values
}

// referencePeaks are the peaks of the resident memory.
func referencePeaks(inside []sample) byMinute {
	peaks := byMinute{}

	for _, s := range inside {
		if s.metric != clickhouseschema.MetricResident {
			continue
		}

		if peaks[s.replica] == nil {
			peaks[s.replica] = map[int64]float64{}
		}

		minute := s.time.UnixMilli() / 60_000
		peaks[s.replica][minute] = max(peaks[s.replica][minute], math.Ceil(s.value))
	}

	return peaks
}

// referenceTotals sums over the replicas, in each minute in which one of them has a sample.
func referenceTotals(window *usage.Window, own []sample, first, last int64) {
	_, cpu := referenceSums(referenceMeans(own), first, last)

	if medians := referenceMedians(cpu, first, last); len(medians) > 0 {
		window.CPUTotalPeakMillis = max(1, referenceMillis(slices.Max(medians)))
		window.CPUTotalLowMillis = max(1, referenceMillis(slices.Min(medians)))
	}

	settled, resident := referenceSums(referencePeaks(own), first, last)
	for minute := range resident {
		window.ResidentMemoryTotalPeakBytes = max(window.ResidentMemoryTotalPeakBytes, int64(settled[minute]), 1)

		if low := max(1, int64(resident[minute])); window.ResidentMemoryTotalLowBytes == 0 || low < window.ResidentMemoryTotalLowBytes {
			window.ResidentMemoryTotalLowBytes = low
		}
	}
}

// referenceSums are the sums in the minutes of a window, without and with the replicas that may not have been sampled yet.
func referenceSums(values byMinute, first, last int64) (settled, full map[int64]float64) {
	settled, full = map[int64]float64{}, map[int64]float64{}

	for minute := first; minute <= last; minute++ {
		counts := false

		var sum, waiting float64

		for _, minutes := range values {
			if value, own := minutes[minute]; own {
				counts = true
				sum += value

				continue
			}

			before, after := neighbours(minutes, minute)

			switch {
			case before < 0:
			case after >= 0 && after-before <= 5:
				sum += minutes[before]
			case after < 0 && last-before < 5:
				waiting += minutes[before]
			}
		}

		if counts {
			settled[minute], full[minute] = sum, sum+waiting
		}
	}

	return settled, full
}

// neighbours are the next minutes with a value on both sides; -1 where there is none.
func neighbours(minutes map[int64]float64, minute int64) (before, after int64) {
	before, after = -1, -1

	for other := range minutes {
		if other < minute {
			before = max(before, other)
		}

		if other > minute && (after < 0 || other < after) {
			after = other
		}
	}

	return before, after
}

// referenceRejectionResident is the highest resident memory in the minutes with rejections, or in the minute before.
func referenceRejectionResident(all, inside []sample) int64 {
	highest := 0.0

	for at := range events(inside, clickhouseschema.MetricRejections) {
		in := map[int64]float64{}

		for _, minutes := range referencePeaks(all) {
			for minute, value := range minutes {
				in[minute] = max(in[minute], value)
			}
		}

		value, known := in[at.millis/60_000]
		if !known {
			value = in[at.millis/60_000-1]
		}

		highest = max(highest, value)
	}

	return int64(highest)
}

func referenceNewestEvent(inside []sample, metric string, now time.Time) time.Time {
	var newest time.Time

	for at := range events(inside, metric) {
		if when := time.UnixMilli(at.millis).UTC(); when.After(newest) {
			newest = when
		}
	}

	if newest.After(now) {
		return now
	}

	return newest
}

// referenceHistogram weighs each replica's peak of each interval.
func referenceHistogram(values byMinute, shape usage.HistogramShape, thisMinute int64) *usage.Histogram {
	histogram := &usage.Histogram{Buckets: shape.Buckets}
	interval := max(1, int64(shape.PeakInterval/time.Minute))

	type sample struct {
		value float64
		age   int64 // intervals
	}

	samples := make([]sample, 0, len(values))

	newest := int64(math.MaxInt64)

	for _, minutes := range values {
		peaks := map[int64]float64{}

		for minute, value := range minutes {
			peaks[minute/interval] = max(peaks[minute/interval], value)

			at := time.Unix(minute*60, 0).UTC()
			if histogram.First.IsZero() || at.Before(histogram.First) {
				histogram.First = at
			}

			if at.After(histogram.Last) {
				histogram.Last = at
			}
		}

		for number, value := range peaks {
			samples = append(samples, sample{value, thisMinute/interval - number})
			newest = min(newest, thisMinute/interval-number)
		}
	}

	if len(samples) == 0 {
		return histogram
	}

	histogram.Samples = int64(len(samples))
	histogram.Weights = make([]float64, shape.Buckets.Count)

	for _, decay := range shape.Decays {
		total, weights := 0.0, make([]float64, shape.Buckets.Count)

		for _, s := range samples {
			age := float64((s.age-newest)*interval) * float64(time.Minute) // the same shares, and never all too small
			weight := math.Exp2(-age / float64(decay.HalfLife))
			weights[shape.Buckets.Index(s.value)] += weight
			total += weight
		}

		for i, weight := range weights {
			histogram.Weights[i] += decay.Share * weight / total
		}
	}

	return histogram
}
