package usage

import "github.com/tidemark-project/tidemark/recommender/size"

// Plausible returns w with every value that cannot be true taken as unknown (0), and whether all of them could be.
// A negative or absurdly large amount comes from a broken sample or a wrong unit; believing it would resize a service.
func (w Window) Plausible() (Window, bool) {
	plausible := true

	if !isShare(w.Coverage) {
		w.Coverage, plausible = 0, false
	}

	for _, amount := range []struct {
		value *int64
		limit int64
	}{
		{&w.CPUPeakMillis, size.MaxCPUMillis},
		{&w.QueryMemoryPeakBytes, size.MaxMemoryBytes},
		{&w.ResidentMemoryPeakBytes, size.MaxMemoryBytes},
		{&w.ResidentMemoryMedianBytes, size.MaxMemoryBytes},
		{&w.OOMKillResidentBytes, size.MaxMemoryBytes},
		{&w.RejectionResidentBytes, size.MaxMemoryBytes},
		{&w.CPUTotalPeakMillis, size.MaxCPUMillis},
		{&w.CPUTotalLowMillis, size.MaxCPUMillis},
		{&w.ResidentMemoryTotalPeakBytes, size.MaxMemoryBytes},
		{&w.ResidentMemoryTotalLowBytes, size.MaxMemoryBytes},
	} {
		if *amount.value < 0 || *amount.value > amount.limit {
			*amount.value, plausible = 0, false
		}
	}

	if w.MemoryRejections < 0 || w.OOMKills < 0 {
		w.MemoryRejections, w.OOMKills = max(w.MemoryRejections, 0), max(w.OOMKills, 0)
		plausible = false
	}

	return w, plausible
}

// isShare reports that a value is between 0 and 1, which NaN is not.
func isShare(value float64) bool {
	return value >= 0 && value <= 1
}

// Empty reports that the window holds nothing that a need could be derived from. A peak of 0 counts as not measured: a
// process that runs uses something, so a reader rounds a real sample up to at least 1.
func (w Window) Empty() bool {
	return w.CPUPeakMillis <= 0 && w.QueryMemoryPeakBytes <= 0 && w.ResidentMemoryPeakBytes <= 0 &&
		w.OOMKillResidentBytes <= 0
}
