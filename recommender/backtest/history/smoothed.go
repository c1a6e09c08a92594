package history

import "slices"

// smoothing is the length of the rolling median, in minutes.
const smoothing = 10

// smoothed is a series of CPU and its 10-minute rolling median.
//
// A median is made for each minute that has a sample, of the samples of the ten minutes that end with it. In a window it
// counts when all ten lie in the window; the window's first ten minutes count once, together. See package
// usage/clickhouse for why.
type smoothed struct {
	samples queue
	high    Highest
	low     lowest
	withLow bool
}

func (s *smoothed) push(e entry) {
	s.samples.push(e)

	smooth := medianOf(s.samples.since(e.minute - smoothing + 1))
	s.high.Push(e.minute, smooth)

	if s.withLow {
		s.low.push(e.minute, smooth)
	}
}

func (s *smoothed) expire(before int64) {
	s.samples.expire(before)
	s.high.Expire(before)
	s.low.expire(before)
}

// measured reports that there is a sample from a minute on.
func (s *smoothed) measured(first int64) bool {
	return len(s.samples.since(first)) > 0
}

// peak returns the highest median of the window that begins with a minute; 0 when there is none.
func (s *smoothed) peak(first int64) float64 {
	peak, _ := s.high.Since(first + smoothing - 1)
	if edge, ok := s.edge(first); ok {
		peak = max(peak, edge)
	}

	return peak
}

// trough returns the lowest median of the window that begins with a minute; 0 when there is none.
func (s *smoothed) trough(first int64) float64 {
	trough, some := s.low.since(first + smoothing - 1)

	edge, ok := s.edge(first)

	switch {
	case ok && some:
		return min(trough, edge)
	case ok:
		return edge
	default:
		return max(trough, 0)
	}
}

// edge is the median of the first ten minutes.
func (s *smoothed) edge(first int64) (float64, bool) {
	samples := s.samples.since(first)

	end := 0
	for end < len(samples) && samples[end].minute < first+smoothing {
		end++
	}

	return medianOf(samples[:end]), end > 0
}

// medianOf is the median of the samples of at most ten minutes; 0 of none.
func medianOf(samples []entry) float64 {
	var sorted [smoothing]float64

	values := sorted[:0]

	for _, s := range samples {
		values = append(values, s.value)
	}

	if len(values) == 0 {
		return 0
	}

	slices.Sort(values)

	return middle(values[(len(values)-1)/2], values[len(values)/2])
}
