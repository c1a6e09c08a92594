package history

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// addEvents adds the requests that were refused and the processes that were killed, both for lack of memory.
func (h *History) addEvents(memory resident, windows []usage.Window) {
	for at, count := range h.rejections {
		h.within(at, windows, func(w *usage.Window, when time.Time, age int64) {
			w.MemoryRejections += count
			w.NewestRejectionTime = later(w.NewestRejectionTime, when)
			w.RejectionResidentBytes = max(w.RejectionResidentBytes, memory.near(age))
		})
	}

	for at, bytes := range h.kills {
		h.within(at, windows, func(w *usage.Window, when time.Time, _ int64) {
			w.OOMKills++
			w.NewestOOMKillTime = later(w.NewestOOMKillTime, when)
			w.OOMKillResidentBytes = max(w.OOMKillResidentBytes, bytes)
		})
	}
}

// within calls visit for each window that holds the moment.
func (h *History) within(
	at moment, windows []usage.Window, visit func(w *usage.Window, when time.Time, age int64),
) {
	age := h.thisMinute - at.millis/millisOfMinute

	for i, length := range h.plan.windows {
		if age < length {
			visit(&windows[i], h.notLater(at.millis), age)
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}

	return a
}
