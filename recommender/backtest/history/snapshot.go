package history

import (
	"math"
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// Snapshot returns what the usage store would answer at a moment, which is not before the newest sample. Its slices and
// histograms are valid until the next call.
func (h *History) Snapshot(now time.Time) usage.Snapshot {
	minute := minuteOf(now.Unix())

	snapshot := usage.Snapshot{ReadTime: now, Windows: h.windows}

	if h.longest > 0 {
		h.expire(minute)
	}

	for i, length := range h.request.Windows {
		h.windows[i] = h.window(i, length, minute)
	}

	if h.cpuHistogram != nil {
		snapshot.CPUHistogram = h.cpuHistogram.Histogram(now)
		snapshot.MemoryHistogram = h.memoryHistogram.Histogram(now)
	}

	// What is older than all that is read is not seen.
	reach := max(h.longest, minutes(h.request.Histograms.Span))
	if h.newest > 0 && minuteOf(h.newest) > minute-reach {
		snapshot.NewestSample = utc(h.newest)
	}

	return snapshot
}

// window reads one window.
func (h *History) window(at int, length time.Duration, now int64) usage.Window {
	first := now - minutes(length) + 1
	w := usage.Window{
		Length: length, Coverage: h.coverage.share(now, minutes(length)),
		CPUPeakMillis:             measured(h.cpu.peak(first), h.cpu.measured(first)),
		ResidentMemoryMedianBytes: halfUp(h.medians[at].value()),
	}

	peak, _ := h.resident.Since(first)
	w.ResidentMemoryPeakBytes = int64(peak)

	if number, newest := h.kills.since(first); number > 0 {
		resident, _ := h.kills.highest.Since(first)
		w.OOMKills, w.OOMKillResidentBytes, w.NewestOOMKillTime = number, int64(resident), utc(newest)
	}

	if h.request.Totals {
		h.totals(&w, first)
	}

	return w
}

func (h *History) totals(w *usage.Window, first int64) {
	known := h.cpuTotal.measured(first)
	w.CPUTotalPeakMillis = measured(h.cpuTotal.peak(first), known)
	w.CPUTotalLowMillis = measured(h.cpuTotal.trough(first), known)

	peak, known := h.residentTotal.Since(first)
	low, _ := h.residentLow.since(first)
	w.ResidentMemoryTotalPeakBytes, w.ResidentMemoryTotalLowBytes = measured(peak, known), measured(low, known)
}

// measured rounds an amount. What was measured as nothing is as good as nothing, but a recommender takes 0 for not measured.
func measured(amount float64, known bool) int64 {
	if rounded := halfUp(amount); rounded > 0 || !known {
		return rounded
	}

	return 1
}

// halfUp rounds to a whole number, as time and money are rounded.
func halfUp(value float64) int64 {
	return int64(math.Floor(value + 1./2))
}
