package history

import "math"

// rolling makes the median of the values of the newest ten minutes, of those that have one. Its zero value has seen
// nothing.
type rolling struct {
	ages   [smoothing]int64
	values [smoothing]float64 // in the order of their ages, oldest first
	sorted [smoothing]float64
	count  int
}

// add takes the value of a minute that is newer than all before, and returns the median.
func (r *rolling) add(age int64, value float64) float64 {
	for r.count > 0 && r.ages[0] >= age+smoothing {
		r.drop()
	}

	r.ages[r.count], r.values[r.count] = age, value
	i := r.count

	for ; i > 0 && r.sorted[i-1] > value; i-- {
		r.sorted[i] = r.sorted[i-1]
	}

	r.sorted[i] = value
	r.count++

	return middle(r.sorted[:r.count])
}

// drop takes the oldest value out.
func (r *rolling) drop() {
	i := 0
	for r.sorted[i] != r.values[0] {
		i++
	}

	copy(r.sorted[i:r.count], r.sorted[i+1:r.count])
	copy(r.ages[:r.count], r.ages[1:r.count])
	copy(r.values[:r.count], r.values[1:r.count])

	r.count--
}

// middle is the median of sorted values: the middle one, or the mean of the middle two; 0 of none.
func middle(sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}

	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]

	return low + 0.5*(high-low)
}

// halfUp rounds to a whole number, as time and money are rounded.
func halfUp(value float64) int64 {
	return int64(math.Floor(value + 0.5))
}
