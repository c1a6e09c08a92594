package clickhouse

import (
	"math"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// reference computes what Read should return for one service, from the raw samples and in the plainest way.
func reference(service string, samples []sample, request usage.Request, now time.Time) usage.Snapshot {
	snapshot := usage.Snapshot{Service: service, ReadTime: now, Windows: []usage.Window{}}
	thisMinute := now.UnixMilli() / 60_000

	var own []sample

	for _, s := range samples {
		if s.service == service && believed(s) && s.time.UnixMilli()/60_000 <= thisMinute {
			own = append(own, s)
		}
	}

	for _, length := range request.Windows {
		first := thisMinute - int64(length/time.Minute) + 1
		window := referenceWindow(own, since(own, first), length, first, thisMinute, now)

		if request.Totals {
			referenceTotals(&window, own, first, thisMinute)
		}

		snapshot.Windows = append(snapshot.Windows, window)
	}

	horizon := request.Histograms.Span
	if len(request.Windows) > 0 {
		horizon = max(horizon, request.Windows[len(request.Windows)-1])
	}

	snapshot.NewestSample = referenceNewest(since(own, thisMinute-int64(horizon/time.Minute)+1), now)

	if request.Histograms.Wanted() {
		first := thisMinute - int64(request.Histograms.Span/time.Minute) + 1
		snapshot.CPUHistogram = referenceHistogram(
			scaled(referenceMeans(since(own, first)), 1e-6), request.Histograms.CPU, thisMinute)
		snapshot.MemoryHistogram = referenceHistogram(referencePeaks(since(own, first)), request.Histograms.Memory, thisMinute)
	}

	return snapshot
}

// since are the samples from a minute on.
func since(samples []sample, first int64) []sample {
	var inside []sample

	for _, s := range samples {
		if s.time.UnixMilli()/60_000 >= first {
			inside = append(inside, s)
		}
	}

	return inside
}

func believed(s sample) bool {
	limit := float64(clickhouseschema.MaxBytes)
	if s.metric == clickhouseschema.MetricCPU {
		limit = clickhouseschema.MaxCores
	}

	return s.value >= 0 && s.value < limit
}

func referenceWindow(all, inside []sample, length time.Duration, first, last int64, now time.Time) usage.Window {
	return usage.Window{
		RejectionResidentBytes:    referenceRejectionResident(all, inside),
		NewestRejectionTime:       referenceNewestEvent(inside, clickhouseschema.MetricRejections, now),
		NewestOOMKillTime:         referenceNewestEvent(inside, clickhouseschema.MetricOOMKill, now),
		Length:                    length,
		Coverage:                  referenceCoverage(inside, last, length),
		CPUPeakMillis:             referenceCPU(inside, first, last),
		QueryMemoryPeakBytes:      int64(maxOf(inside, clickhouseschema.MetricQueryMemory)),
		ResidentMemoryPeakBytes:   int64(maxOf(inside, clickhouseschema.MetricResident)),
		ResidentMemoryMedianBytes: referenceResidentMedian(inside, first, last),
		MemoryRejections:          referenceRejections(inside),
		OOMKills:                  int64(len(events(inside, clickhouseschema.MetricOOMKill))),
		OOMKillResidentBytes:      int64(maxOf(inside, clickhouseschema.MetricOOMKill)),
	}
}

func referenceCoverage(inside []sample, last int64, length time.Duration) float64 {
	cpu, resident := map[int64]bool{}, map[int64]bool{}

	for _, s := range inside {
		back := (last - s.time.UnixMilli()/60_000) / 10

		switch s.metric {
		case clickhouseschema.MetricCPU:
			cpu[back] = true
		case clickhouseschema.MetricResident:
			resident[back] = true
		}
	}

	covered := 0

	for back := range cpu {
		if resident[back] {
			covered++
		}
	}

	return float64(covered) / float64(length/(10*time.Minute))
}

func referenceCPU(inside []sample, first, last int64) int64 {
	peak := 0.0
	replicas := referenceMeans(inside)

	for _, means := range replicas {
		peak = max(peak, slices.Max(append(referenceMedians(means, first, last), 0)))
	}

	if len(replicas) > 0 {
		return max(1, referenceMillis(peak)) // idle, which is not the same as not measured
	}

	return 0
}

func referenceMillis(nanos float64) int64 { return int64(math.Floor(nanos/1e6 + 0.5)) }

// referenceMedians takes each run of ten minutes that lies in the window and ends with a minute that has samples, and the
// first ten minutes of the window whatever they end with.
func referenceMedians(values map[int64]float64, first, last int64) []float64 {
	var medians []float64

	for end := first + 9; end <= last; end++ {
		if _, present := values[end]; !present && end != first+9 {
			continue
		}

		var frame []float64

		for minute := end - 9; minute <= end; minute++ {
			if value, present := values[minute]; present {
				frame = append(frame, value)
			}
		}

		if len(frame) > 0 {
			medians = append(medians, median(frame))
		}
	}

	return medians
}

// referenceMeans are the nanocores by replica and minute.
func referenceMeans(inside []sample) byMinute {
	type bucket struct{ sum, count uint64 }

	sums := map[string]map[int64]bucket{}

	for _, s := range inside {
		if s.metric != clickhouseschema.MetricCPU {
			continue
		}

		if sums[s.replica] == nil {
			sums[s.replica] = map[int64]bucket{}
		}

		minute := s.time.UnixMilli() / 60_000
		b := sums[s.replica][minute]
		sums[s.replica][minute] = bucket{b.sum + uint64(math.RoundToEven(s.value*1e9)), b.count + 1}
	}

	means := byMinute{}
	for replica, byMinute := range sums {
		means[replica] = map[int64]float64{}
		for minute, b := range byMinute {
			means[replica][minute] = float64(b.sum) / float64(b.count)
		}
	}

	return means
}

func referenceResidentMedian(inside []sample, first, last int64) int64 {
	var largest []float64

	for minute := first; minute <= last; minute++ {
		highest := -1.0

		for _, s := range inside {
			if s.metric == clickhouseschema.MetricResident && s.time.UnixMilli()/60_000 == minute {
				highest = max(highest, math.Ceil(s.value))
			}
		}

		if highest >= 0 {
			largest = append(largest, highest)
		}
	}

	return int64(math.Floor(median(largest) + 0.5))
}

func referenceRejections(inside []sample) int64 {
	total := 0.0
	for _, value := range events(inside, clickhouseschema.MetricRejections) {
		total += value
	}

	return int64(total)
}

// moment is what makes an event one event.
type moment struct {
	replica string
	millis  int64
}

func events(inside []sample, metric string) map[moment]float64 {
	found := map[moment]float64{}

	for _, s := range inside {
		if s.metric == metric && s.value > 0 {
			at := moment{s.replica, s.time.UnixMilli()}
			found[at] = max(found[at], math.Ceil(s.value))
		}
	}

	return found
}

func referenceNewest(inside []sample, now time.Time) time.Time {
	var newest time.Time

	for _, s := range inside {
		switch s.metric {
		case clickhouseschema.MetricCPU, clickhouseschema.MetricResident, clickhouseschema.MetricQueryMemory:
			if s.time.After(newest) {
				newest = s.time
			}
		}
	}

	if newest.After(now) {
		return now
	}

	return newest
}

func maxOf(inside []sample, metric string) float64 {
	highest := 0.0

	for _, s := range inside {
		if s.metric == metric {
			highest = max(highest, math.Ceil(s.value))
		}
	}

	return highest
}

// median is the middle value, or the mean of the middle two; 0 of nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}

	slices.Sort(values)

	low, high := values[(len(values)-1)/2], values[len(values)/2]

	return low + 0.5*(high-low)
}
