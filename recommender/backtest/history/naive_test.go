package history_test

import (
	"math"
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest/history"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// past is a history as a list, from which everything is computed anew in the plainest way.
type past struct {
	samples []history.Sample
	kills   []kill
}

type kill struct {
	seconds, bytes int64
}

func (p *past) snapshot(request usage.Request, now time.Time) usage.Snapshot {
	this := now.Unix() / 60
	snapshot := usage.Snapshot{ReadTime: now}

	for _, length := range request.Windows {
		snapshot.Windows = append(snapshot.Windows, p.window(length, this, request.Totals))
	}

	reach := request.Histograms.Span
	if len(request.Windows) > 0 {
		reach = max(reach, slices.Max(request.Windows))
	}

	for _, s := range p.samples {
		if age(s.Time, this) < int64(reach/time.Minute) && (s.CPUKnown || s.MemoryKnown) {
			snapshot.NewestSample = time.Unix(s.Time, 0).UTC()
		}
	}

	if request.Histograms.Wanted() {
		snapshot.CPUHistogram = p.histogram(request.Histograms.CPU, request.Histograms.Span, now,
			func(s history.Sample) (float64, bool) { return s.CPUMillis, s.CPUKnown })
		snapshot.MemoryHistogram = p.histogram(request.Histograms.Memory, request.Histograms.Span, now,
			func(s history.Sample) (float64, bool) { return s.MemoryBytes, s.MemoryKnown })
	}

	return snapshot
}

func age(seconds, this int64) int64 { return this - seconds/60 }

func (p *past) window(length time.Duration, this int64, totals bool) usage.Window {
	all := int64(length / time.Minute)

	var cpu, cpuTotal []byAge

	var memory, memoryTotal []float64

	covered := map[int64][2]bool{}

	for _, s := range p.samples {
		back := age(s.Time, this)
		if back >= all {
			continue
		}

		bucket := covered[back/10]

		if s.CPUKnown {
			cpu, cpuTotal = append(cpu, byAge{back, s.CPUMillis}), append(cpuTotal, byAge{back, s.CPUTotalMillis})
			bucket[0] = true
		}

		if s.MemoryKnown {
			memory, memoryTotal = append(memory, s.MemoryBytes), append(memoryTotal, s.MemoryTotalBytes)
			bucket[1] = true
		}

		covered[back/10] = bucket
	}

	w := usage.Window{Length: length}

	for _, bucket := range covered {
		if bucket[0] && bucket[1] {
			w.Coverage++
		}
	}

	w.Coverage /= float64(all / 10)

	if medians := rolling(cpu, all); len(medians) > 0 {
		w.CPUPeakMillis = max(1, round(slices.Max(medians)))
	}

	if medians := rolling(cpuTotal, all); totals && len(medians) > 0 {
		w.CPUTotalPeakMillis = max(1, round(slices.Max(medians)))
		w.CPUTotalLowMillis = max(1, round(slices.Min(medians)))
	}

	if len(memory) > 0 {
		w.ResidentMemoryPeakBytes = int64(slices.Max(memory))
		w.ResidentMemoryMedianBytes = round(median(memory))
	}

	if totals && len(memory) > 0 {
		w.ResidentMemoryTotalPeakBytes = max(1, int64(slices.Max(memoryTotal)))
		w.ResidentMemoryTotalLowBytes = max(1, int64(slices.Min(memoryTotal)))
	}

	for _, k := range p.kills {
		if age(k.seconds, this) < all {
			w.OOMKills++
			w.OOMKillResidentBytes = max(w.OOMKillResidentBytes, k.bytes)
			w.NewestOOMKillTime = time.Unix(k.seconds, 0).UTC()
		}
	}

	return w
}

type byAge struct {
	age   int64
	value float64
}

// rolling are the medians that count in a window.
func rolling(samples []byAge, all int64) []float64 {
	var medians []float64

	for newest := range all - 9 {
		var inside []float64

		ends := newest == all-10 // the first ten minutes count whatever they end with

		for _, s := range samples {
			if s.age >= newest && s.age < newest+10 {
				inside = append(inside, s.value)
			}

			ends = ends || s.age == newest
		}

		if ends && len(inside) > 0 {
			medians = append(medians, median(inside))
		}
	}

	return medians
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]

	return low + (high-low)/2
}

func round(value float64) int64 { return int64(math.Floor(value + 0.5)) }

func (p *past) histogram(
	shape usage.HistogramShape, span time.Duration, now time.Time, value func(history.Sample) (float64, bool),
) *usage.Histogram {
	h := &usage.Histogram{Buckets: shape.Buckets, Weights: make([]float64, shape.Buckets.Count)}

	var minutes []byTime

	for _, s := range p.samples {
		v, known := value(s)
		for back := s.Minutes - 1; known && back >= 0; back-- {
			minutes = append(minutes, byTime{time.Unix(s.Time-60*back, 0).UTC(), v})
		}
	}

	minutes = slices.DeleteFunc(peaks(minutes, shape.PeakInterval), func(m byTime) bool { return m.at.Before(now.Add(-span)) })
	if len(minutes) == 0 {
		return h
	}

	h.Samples, h.First, h.Last = int64(len(minutes)), minutes[0].at, minutes[len(minutes)-1].at

	for _, d := range shape.Decays {
		weigh := func(m byTime) float64 {
			at := m.at
			if shape.PeakInterval > 0 {
				at = at.Add(-time.Duration(at.UnixNano() % int64(shape.PeakInterval))) // an interval ages as one
			}

			return math.Exp2(-now.Sub(at).Seconds() / d.HalfLife.Seconds())
		}

		total := 0.0
		for _, m := range minutes {
			total += weigh(m)
		}

		for _, m := range minutes {
			h.Weights[shape.Buckets.Index(m.value)] += d.Share * weigh(m) / total
		}
	}

	return h
}

type byTime struct {
	at    time.Time
	value float64
}

// peaks keeps the first highest of each interval.
func peaks(minutes []byTime, interval time.Duration) []byTime {
	if interval <= 0 {
		return minutes
	}

	var kept []byTime

	for _, m := range minutes {
		last := len(kept) - 1

		switch {
		case last < 0 || kept[last].at.UnixNano()/int64(interval) != m.at.UnixNano()/int64(interval):
			kept = append(kept, m)
		case m.value > kept[last].value:
			kept[last] = m
		}
	}

	return kept
}
