package native

import (
	"fmt"
	"strings"
)

// splitArguments splits the text between a type's brackets at its own commas, not at those of the types inside.
func splitArguments(s string) ([]string, error) {
	var (
		args  []string
		depth int
		start int
	)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '`', '"':
			end := closingQuote(s, i)
			if end < 0 {
				return nil, fmt.Errorf("%w: no closing quote", ErrType)
			}
			i = end
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("%w: unbalanced brackets", ErrType)
			}
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("%w: unbalanced brackets", ErrType)
	}
	if last := strings.TrimSpace(s[start:]); last != "" || start > 0 {
		args = append(args, last)
	}
	return args, nil
}

// closingQuote returns the index of the quote that closes the one at i, or -1.
func closingQuote(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}

// withoutName drops the name of a Tuple's element, as in "a UInt8" or "`a b` UInt8".
func withoutName(s string) string {
	if s == "" {
		return s
	}
	if s[0] == '`' || s[0] == '"' {
		if end := closingQuote(s, 0); end > 0 {
			return strings.TrimSpace(s[end+1:])
		}
		return s
	}
	space := strings.IndexByte(s, ' ')
	bracket := strings.IndexByte(s, '(')
	if space > 0 && (bracket < 0 || space < bracket) {
		return strings.TrimSpace(s[space+1:])
	}
	return s
}
