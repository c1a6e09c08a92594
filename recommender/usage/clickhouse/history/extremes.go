package history

import (
	"math"
	"slices"
)

// extremes are the highest and the lowest 10-minute rolling median in each window.
//
// A median is made for each minute that has a value, of the minutes that have one among the ten that end with it. In a
// window it counts when all ten lie in the window. The window's first ten minutes count once, together: were a median
// made of the first minute alone, every short spike would count as a peak for a minute when it is about to leave the
// window.
type extremes struct {
	windows   []int64
	high, low []float64
	seen      []bool // the window has a value
}

func newExtremes(windows []int64) *extremes {
	e := &extremes{
		windows: windows, high: make([]float64, len(windows)), low: make([]float64, len(windows)),
		seen: make([]bool, len(windows)),
	}

	for i := range windows {
		e.high[i], e.low[i] = math.Inf(-1), math.Inf(1)
	}

	return e
}

// add takes one series, which calls back for each minute that has a value, the oldest first.
func (e *extremes) add(series func(visit func(age int64, value float64))) {
	var (
		last  rolling
		high  = slices.Repeat([]float64{math.Inf(-1)}, len(e.windows)) // of the medians that count from this window on
		low   = slices.Repeat([]float64{math.Inf(1)}, len(e.windows))
		first = make([][smoothing]float64, len(e.windows))
		count = make([]int, len(e.windows))
	)

	series(func(age int64, value float64) {
		median := last.add(age, value)
		counted := false

		for i, window := range e.windows {
			e.seen[i] = e.seen[i] || age < window

			if age < window && age >= window-smoothing {
				first[i][count[i]] = value
				count[i]++
			}

			if !counted && age <= window-smoothing {
				high[i], low[i], counted = max(high[i], median), min(low[i], median), true
			}
		}
	})

	for i := range e.windows {
		if i > 0 {
			high[i], low[i] = max(high[i], high[i-1]), min(low[i], low[i-1])
		}

		e.high[i], e.low[i] = max(e.high[i], high[i]), min(e.low[i], low[i])

		if beginning := first[i][:count[i]]; len(beginning) > 0 {
			slices.Sort(beginning)
			e.high[i], e.low[i] = max(e.high[i], middle(beginning)), min(e.low[i], middle(beginning))
		}
	}
}

// highest and lowest return the extremes of a window as whole numbers of a larger unit. They are 0 for a window without
// a value, and at least 1 for one with: a recommender takes 0 for not measured, and what was measured as nothing is as
// good as nothing.
func (e *extremes) highest(window int, unit float64) int64 {
	return e.whole(window, e.high[window]/unit)
}

func (e *extremes) lowest(window int, unit float64) int64 { return e.whole(window, e.low[window]/unit) }

func (e *extremes) whole(window int, value float64) int64 {
	if !e.seen[window] || math.IsInf(value, 0) {
		return 0
	}

	return max(1, halfUp(value))
}
