package policy

import "fmt"

// FieldError is one thing that is wrong with a policy.
type FieldError struct {
	// Field is where, by the names of a policy file: "max.memory", "catalogue[1]".
	Field string
	// Description is what, and what would be right.
	Description string
}

// Error returns the field and what is wrong with it.
func (e *FieldError) Error() string {
	return e.Field + ": " + e.Description
}

// problems collects what is wrong.
type problems []error

func (ps *problems) addf(field, format string, args ...any) {
	*ps = append(*ps, &FieldError{Field: field, Description: fmt.Sprintf(format, args...)})
}
