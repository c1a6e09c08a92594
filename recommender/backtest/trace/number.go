package trace

import (
	"strconv"

	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// maxUnixSeconds is the end of the year 9999. Milliseconds lie beyond it, so they are not taken for seconds.
	maxUnixSeconds = 253_402_300_799
	// maxCores is more than any machine has.
	maxCores = float64(size.MaxCPUMillis) / 1000
	// maxDigits keeps whole numbers within 64 bits.
	maxDigits = 18
)

// What would be right, by kind of field.
const (
	wantSeconds = "whole seconds since 1970, UTC, up to the year 9999 (not milliseconds)"
	wantCores   = "cores as a plain decimal number from 0 to 1000000, or nothing when not known"
	wantBytes   = "bytes as a whole number from 0 to 1125899906842624, or nothing when not known"
	wantCount   = "a whole number from 0"
)

// wholeNumber reads digits, and nothing but digits.
func wholeNumber(text []byte, limit int64) (int64, bool) {
	if len(text) == 0 || len(text) > maxDigits {
		return 0, false
	}

	var value int64

	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}

		value = value*10 + int64(c-'0')
	}

	return value, value <= limit
}

// decimalNumber reads digits with at most one point among them: no sign, no exponent, no NaN, no Inf.
func decimalNumber(text []byte, limit float64) (float64, bool) {
	digits, points := 0, 0

	for _, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c == '.':
			points++
		default:
			return 0, false
		}
	}

	if digits == 0 || points > 1 {
		return 0, false
	}

	value, err := strconv.ParseFloat(string(text), 64)

	return value, err == nil && value <= limit
}
