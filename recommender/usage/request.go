package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Request is what a recommender needs to know of a service. The zero value asks only for the allocation.
type Request struct {
	// Windows are the look-back windows, shortest first, each a multiple of 10 minutes.
	Windows []time.Duration
	// Totals asks for the sums over all replicas in each window.
	Totals bool
	// Histograms asks for the decaying histograms; the zero value for none.
	Histograms HistogramRequest
}

// HistogramRequest says which samples go into the histograms, and how.
type HistogramRequest struct {
	// Span is how far back samples count; 0 asks for no histograms. A multiple of 1 hour.
	Span time.Duration
	// CPU and Memory are the shapes of the two.
	CPU, Memory HistogramShape
}

// HistogramShape says how samples are sorted and weighed.
type HistogramShape struct {
	// Buckets are in thousandths of a core or in bytes.
	Buckets Buckets
	// Decays say how fast samples lose weight. With one, a sample weighs 2^(-age / half-life). With several, the histogram
	// is the mixture of those that each would give, by their shares.
	Decays []Decay
	// PeakInterval is the length of the stretches of which only a replica's peak counts; 0 lets every minute count. Only
	// memory can have one.
	PeakInterval time.Duration
}

// Decay is one way in which samples lose weight.
type Decay struct {
	// HalfLife is the age at which a sample counts half as much as a new one.
	HalfLife time.Duration
	// Share is the part of the weight of the whole histogram, above 0; all shares add up to 1.
	Share float64
}

// Wanted reports that histograms are asked for.
func (h HistogramRequest) Wanted() bool { return h.Span > 0 }

// Key is the same for requests that ask for the same.
func (r Request) Key() string {
	var key strings.Builder

	for _, window := range r.Windows {
		fmt.Fprintf(&key, "%s ", window)
	}

	fmt.Fprintf(&key, "%t %v", r.Totals, r.Histograms)

	return key.String()
}

// WithWindow returns the request with one more window, in its place. The original is left as it is.
func (r Request) WithWindow(window time.Duration) Request {
	if at, found := slices.BinarySearch(r.Windows, window); !found {
		r.Windows = slices.Insert(slices.Clone(r.Windows), at, window)
	}

	return r
}
