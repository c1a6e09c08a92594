package twowindow

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// assess sizes the service by one window alone and compares the result with the allocation.
func (e *evaluation) assess(
	w *recommender.WindowExplanation, name string, length time.Duration, class *recommender.MemoryClass,
) {
	w.Name, w.Usage.Length = name, length
	if seen, ok := e.in.Usage.Window(length); ok {
		w.Usage = seen
	}

	seen, plausible := w.Usage.Plausible()
	if !plausible {
		e.proposal.Because(recommender.ReasonImplausibleData)
	}

	w.Empty = seen.Empty()
	w.CPU = e.cpuNeed(&seen)
	w.Memory = e.memoryNeed(&seen, class)
	w.Need = size.Resources{CPUMillis: w.CPU.NeedMillis, MemoryBytes: w.Memory.NeedBytes}
	w.Fitted = e.fitted(w)
	w.CPUVerdict = recommender.Compare(e.allocation.CPUMillis, w.Fitted.CPUMillis)
	w.MemoryVerdict = recommender.Compare(e.allocation.MemoryBytes, w.Fitted.MemoryBytes)
	w.Verdict = recommender.CompareBoth(e.allocation, w.Fitted)
}

// fitted applies the policy to a window's need. What the window does not know is left alone: the policy must not turn
// the absence of data into a verdict by rounding the allocation.
func (e *evaluation) fitted(w *recommender.WindowExplanation) size.Resources {
	if w.Empty {
		return e.allocation
	}

	fitted := e.policy.Fitted(w.Need)
	if e.policy.Coupled() {
		return fitted
	}

	if !cpuKnown(w) {
		fitted.CPUMillis = e.allocation.CPUMillis
	}

	if w.Memory.Term == recommender.MemoryTermAllocation {
		fitted.MemoryBytes = e.allocation.MemoryBytes
	}

	return fitted
}

func cpuKnown(w *recommender.WindowExplanation) bool {
	return w.CPU.Position != recommender.BandUnknown
}

// residentKnown reports that the window saw resident memory. The other memory signals can only raise a need: they are
// absent when nothing happened and when nobody looked.
func residentKnown(w *recommender.WindowExplanation) bool {
	return w.Memory.ResidentTermBytes > 0
}
