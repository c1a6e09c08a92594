package size

import "math"

// roundingNoise is the relative error that a product or quotient of exact numbers may carry.
const roundingNoise = 1e-12

// Ceil rounds an amount up to a whole unit and at most to limit. An amount a rounding error above a whole number is that
// number: 10 * 1.1 is 11, not 12. What is no number or not above 0 counts as 0.
func Ceil(amount float64, limit int64) int64 {
	switch {
	case math.IsNaN(amount) || amount <= 0:
		return 0
	case amount >= float64(limit):
		return limit
	}

	if whole := math.Round(amount); amount >= whole && amount-whole <= whole*roundingNoise {
		return int64(whole)
	}

	return int64(math.Ceil(amount))
}
