package history

import (
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Sample is what a service used in the minutes that end with a moment.
type Sample struct {
	// Time is that moment, in seconds since 1970. There is at most one sample for each minute.
	Time int64
	// Minutes is how many minutes the sample stands for, at least 1.
	Minutes int64
	// CPUMillis and MemoryBytes are what each replica used.
	CPUMillis, MemoryBytes float64
	// CPUTotalMillis and MemoryTotalBytes are the sums over all replicas.
	CPUTotalMillis, MemoryTotalBytes float64
	// CPUKnown and MemoryKnown report that the values were measured.
	CPUKnown, MemoryKnown bool
}

// History is the past of one service. It is not safe for concurrent use.
type History struct {
	request usage.Request
	longest int64 // minutes

	cpu, cpuTotal           smoothed
	resident, residentTotal Highest
	residentLow             lowest
	medians                 []median // by window
	coverage                coverage
	kills                   kills
	cpuHistogram            *usage.Accumulator
	memoryHistogram         *usage.Accumulator
	newest                  int64 // seconds since 1970; 0 for none
	windows                 []usage.Window
}

// New returns an empty past that can answer the request.
func New(request usage.Request) *History {
	h := &History{
		request: request, medians: make([]median, len(request.Windows)), windows: make([]usage.Window, len(request.Windows)),
	}
	h.cpuTotal.withLow = request.Totals

	if len(request.Windows) > 0 {
		h.longest = minutes(slices.Max(request.Windows))
	}

	if request.Histograms.Wanted() {
		h.cpuHistogram = usage.NewAccumulator(request.Histograms.CPU, request.Histograms.Span)
		h.memoryHistogram = usage.NewAccumulator(request.Histograms.Memory, request.Histograms.Span)
	}

	return h
}

// Observe takes in the next sample. Samples come in the order of time.
func (h *History) Observe(s Sample) {
	minute := minuteOf(s.Time)

	if s.CPUKnown || s.MemoryKnown {
		h.newest = s.Time
	}

	if h.longest > 0 {
		h.observeWindows(minute, s)
		h.expire(minute)
	}

	if h.cpuHistogram != nil {
		h.observeHistograms(s)
	}
}

func (h *History) observeWindows(minute int64, s Sample) {
	h.coverage.push(minute, s.CPUKnown, s.MemoryKnown)

	if s.CPUKnown {
		h.cpu.push(entry{minute, s.CPUMillis})
	}

	if s.MemoryKnown {
		h.resident.Push(minute, s.MemoryBytes)

		for i := range h.medians {
			h.medians[i].push(entry{minute, s.MemoryBytes})
		}
	}

	if h.request.Totals && s.CPUKnown {
		h.cpuTotal.push(entry{minute, s.CPUTotalMillis})
	}

	if h.request.Totals && s.MemoryKnown {
		h.residentTotal.Push(minute, s.MemoryTotalBytes)
		h.residentLow.push(minute, s.MemoryTotalBytes)
	}
}

// observeHistograms adds a sample once for each minute that it stands for, as a scraper would have seen it.
func (h *History) observeHistograms(s Sample) {
	for back := s.Minutes - 1; back >= 0; back-- {
		at := utc(s.Time - 60*back)

		if s.CPUKnown {
			h.cpuHistogram.Add(at, s.CPUMillis)
		}

		if s.MemoryKnown {
			h.memoryHistogram.Add(at, s.MemoryBytes)
		}
	}
}

// expire forgets what no window can hold any more.
func (h *History) expire(now int64) {
	before := now - h.longest + 1
	h.cpu.expire(before)
	h.cpuTotal.expire(before)
	h.resident.Expire(before)
	h.residentTotal.Expire(before)
	h.residentLow.expire(before)
	h.coverage.expire(before)
	h.kills.expire(before)

	for i, length := range h.request.Windows {
		h.medians[i].expire(now - minutes(length) + 1)
	}
}

func minutes(length time.Duration) int64 { return int64(length / time.Minute) }

func minuteOf(seconds int64) int64 { return seconds / 60 }

func utc(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
