package backtest

import "github.com/tidemark-project/tidemark/recommender/size"

// Track is what happened to one service, sample by sample.
type Track struct {
	// Service is its name.
	Service string
	// Points are in the order of time.
	Points []Point
}

// Point is one moment of a track.
type Point struct {
	// Sample is what was used.
	Sample Sample
	// Allocation is the size that was in effect, and Recommended what the player wanted last.
	Allocation, Recommended size.Size
}

// recorder keeps a track.
type recorder struct {
	track       Track
	recommended size.Size
}

func (r *recorder) sample(sample *Sample, allocation size.Size) {
	if r.recommended == (size.Size{}) {
		r.recommended = allocation
	}

	r.track.Points = append(r.track.Points, Point{Sample: *sample, Allocation: allocation, Recommended: r.recommended})
}
