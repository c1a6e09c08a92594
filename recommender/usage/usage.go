// Package usage holds what a recommender reads: the peaks of one service over look-back windows, and how far they can
// be trusted. It does no I/O; package usage/clickhouse fills it.
package usage

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// Window is what one service was seen to use in one look-back window that ends now. Peaks are per replica: the maximum
// over all replicas, because all replicas get the same size.
type Window struct {
	// Length is how far the window looks back.
	Length time.Duration
	// Coverage is the share of the window's 10-minute buckets that hold at least one sample of any replica, 0 to 1.
	// 0 means that nothing is known, which is not the same as no load.
	Coverage float64
	// CPUPeakMillis is the highest 10-minute rolling median of any replica, in thousandths of a core.
	// 0 means not measured; a service that was measured and idle has 1.
	CPUPeakMillis int64
	// QueryMemoryPeakBytes is the highest memory that work on the service held at once; 0 when it is not measured.
	QueryMemoryPeakBytes int64
	// ResidentMemoryPeakBytes is the highest resident memory of any replica.
	ResidentMemoryPeakBytes int64
	// ResidentMemoryMedianBytes is the median over the window of the per-minute resident memory (the largest replica).
	ResidentMemoryMedianBytes int64
	// CPUTotalPeakMillis and CPUTotalLowMillis are the highest and the lowest 10-minute rolling median of the sum over all
	// replicas, in thousandths of a core; 0 when they were not asked for or not measured.
	CPUTotalPeakMillis, CPUTotalLowMillis int64
	// ResidentMemoryTotalPeakBytes and ResidentMemoryTotalLowBytes are the highest and the lowest sum of resident memory
	// over all replicas in a minute; 0 when they were not asked for or not measured.
	ResidentMemoryTotalPeakBytes, ResidentMemoryTotalLowBytes int64
	// MemoryRejections counts the requests that the service refused for lack of memory.
	MemoryRejections int64
	// RejectionResidentBytes is the highest resident memory of any replica in the minutes in which requests were refused:
	// what was in use then, and not what the service grew to later. 0 when it is not known.
	RejectionResidentBytes int64
	// NewestRejectionTime is when requests were refused last; the zero time when none were.
	NewestRejectionTime time.Time
	// OOMKills counts the processes that were killed for lack of memory.
	OOMKills int64
	// OOMKillResidentBytes is the highest resident memory at the moment of such a kill.
	OOMKillResidentBytes int64
	// NewestOOMKillTime is when a process was killed last; the zero time when none was.
	NewestOOMKillTime time.Time
}

// Snapshot is everything that is known about one service at one moment.
type Snapshot struct {
	// Service is the key, "tenant/name".
	Service string
	// Allocation is the size the service has now, as the inventory last saw it.
	Allocation size.Size
	// AllocationTime is when the inventory last saw that allocation; the zero time when it never did.
	AllocationTime time.Time
	// Labels are the inventory's labels of the service.
	Labels map[string]string
	// Windows holds one entry per window of the request, shortest first.
	Windows []Window
	// CPUHistogram is of each replica's CPU per minute, in thousandths of a core; nil when it was not asked for.
	CPUHistogram *Histogram
	// MemoryHistogram is of each replica's memory peaks, in bytes; nil when it was not asked for.
	MemoryHistogram *Histogram
	// NewestSample is the time of the latest usage sample; the zero time when there is none.
	NewestSample time.Time
	// ReadTime is the usage store's own clock when it answered; data ages are measured against it.
	ReadTime time.Time
}

// Window returns the window of the given length, and false when it was not read.
func (s Snapshot) Window(length time.Duration) (Window, bool) {
	for _, w := range s.Windows {
		if w.Length == length {
			return w, true
		}
	}

	return Window{}, false
}
