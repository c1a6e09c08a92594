package html

import (
	"math"
	"slices"
	"strconv"
)

// numbers are the values of a line. What is no number is a gap.
type numbers []float64

// MarshalJSON writes four digits each, which is more than a screen shows, and null for a gap.
func (n numbers) MarshalJSON() ([]byte, error) {
	const digits = 4

	text := []byte{'['}

	for i, value := range n {
		if i > 0 {
			text = append(text, ',')
		}

		if math.IsNaN(value) || math.IsInf(value, 0) {
			text = append(text, "null"...)
		} else {
			text = strconv.AppendFloat(text, value, 'g', digits, 64)
		}
	}

	return append(text, ']'), nil
}

func (n numbers) pick(indices []int) numbers {
	picked := make(numbers, 0, len(indices))
	for _, i := range indices {
		picked = append(picked, n[i])
	}

	return picked
}

// extremes thins lines out: it cuts them into so many stretches and keeps of each the row in which a line is lowest and
// the one in which it is highest, for every line, and the rows with gaps. So no peak is lost.
func extremes(lines []numbers, stretches int) []int {
	if len(lines) == 0 {
		return nil
	}

	rows := len(lines[0])
	kept := make([]int, 0, rows)

	for stretch := range stretches {
		from, to := stretch*rows/stretches, (stretch+1)*rows/stretches

		var inside []int

		for _, line := range lines {
			inside = line.appendExtremes(inside, from, to)
		}

		slices.Sort(inside)
		kept = append(kept, slices.Compact(inside)...)
	}

	// The last row shows where the lines end.
	if rows > 0 && (len(kept) == 0 || kept[len(kept)-1] != rows-1) {
		kept = append(kept, rows-1)
	}

	return kept
}

func (n numbers) appendExtremes(indices []int, from, to int) []int {
	low, high := -1, -1

	for i := from; i < to; i++ {
		switch value := n[i]; {
		case math.IsNaN(value):
			// The first of several is enough.
			if i == from || !math.IsNaN(n[i-1]) {
				indices = append(indices, i)
			}
		default:
			if low < 0 || value < n[low] {
				low = i
			}

			if high < 0 || value > n[high] {
				high = i
			}
		}
	}

	if low >= 0 {
		indices = append(indices, low, high)
	}

	return indices
}
