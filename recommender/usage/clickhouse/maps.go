package clickhouse

import (
	"fmt"
	"math"
	"strings"
)

// maxColumns is the most arrays that a map of the roll-up has: keys, sums and counts.
const maxColumns = 3

// mapText decodes what ClickHouse writes for a tuple of arrays of whole numbers, such as "([0,1],[250,75])": the first
// array has the keys of a map, the others their values. It is used again and again, so that its arrays need no new room.
type mapText struct {
	columns [maxColumns][]int64
}

// decode reads so many arrays, which must have the same length; keys must be below the limit. A number that does not fit
// is taken as the largest that does.
func (m *mapText) decode(text string, columns int, keys int64) error {
	rest, ok, prefix := text, true, "(["

	for i := 0; ok && i < columns; i++ {
		if rest, ok = strings.CutPrefix(rest, prefix); ok {
			m.columns[i], rest, ok = numbers(m.columns[i][:0], rest)
		}

		prefix = ",["
	}

	if !ok || rest != ")" {
		return fmt.Errorf("%.40q is not a tuple of %d arrays of whole numbers", text, columns)
	}

	for i := range columns {
		if len(m.columns[i]) != len(m.columns[0]) {
			return fmt.Errorf("%.40q has arrays of different lengths", text)
		}
	}

	for _, key := range m.columns[0] {
		if key >= keys {
			return fmt.Errorf("%.40q has the key %d, which must be below %d", text, key, keys)
		}
	}

	return nil
}

// numbers adds the numbers up to the closing bracket.
func numbers(to []int64, text string) (all []int64, rest string, ok bool) {
	if text != "" && text[0] == ']' {
		return to, text[1:], true
	}

	for i := 0; i < len(text); i++ {
		number, from := int64(0), i

		for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
			number = shift(number, int64(text[i]-'0'))
		}

		if i == from || i == len(text) {
			break
		}

		to = append(to, number)

		switch text[i] {
		case ']':
			return to, text[i+1:], true
		case ',':
		default:
			return to, text, false
		}
	}

	return to, text, false
}

// shift adds a decimal digit at the end.
func shift(number, digit int64) int64 {
	if number > (math.MaxInt64-digit)/10 {
		return math.MaxInt64
	}

	return number*10 + digit
}
