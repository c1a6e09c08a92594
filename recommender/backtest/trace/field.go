package trace

import (
	"github.com/tidemark-project/tidemark/recommender/size"
)

// cores reads a field of cores, and whether it is known.
func (l *lines) cores(column string, text []byte) (float64, bool, error) {
	if len(text) == 0 {
		return 0, false, nil
	}

	value, ok := decimalNumber(text, maxCores)
	if !ok {
		return 0, false, l.faultyField(column, text, wantCores)
	}

	return value, true, nil
}

// bytes reads a field of bytes, and whether it is known.
func (l *lines) bytes(column string, text []byte) (int64, bool, error) {
	if len(text) == 0 {
		return 0, false, nil
	}

	value, ok := wholeNumber(text, size.MaxMemoryBytes)
	if !ok {
		return 0, false, l.faultyField(column, text, wantBytes)
	}

	return value, true, nil
}

// count reads a field that must hold a whole number.
func (l *lines) count(column string, text []byte, limit int64, want string) (int64, error) {
	value, ok := wholeNumber(text, limit)
	if !ok {
		return 0, l.faultyField(column, text, want)
	}

	return value, nil
}
