package trace

import "fmt"

// Error is a fault in a recording.
type Error struct {
	// File is the name the reader was given.
	File string
	// Line counts from 1, the header.
	Line int
	// Problem says what is wrong.
	Problem string
	// Want says what would be right.
	Want string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s; want %s", e.File, e.Line, e.Problem, e.Want)
}

// maxShown bounds how much of a wrong text an error repeats, in bytes.
const maxShown = 40

// shown quotes a text of the file for an error.
func shown(text []byte) string {
	if len(text) > maxShown {
		return fmt.Sprintf("%q...", text[:maxShown])
	}

	return fmt.Sprintf("%q", text)
}
