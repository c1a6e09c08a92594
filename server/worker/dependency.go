package worker

import "fmt"

// UsageStore and Store name what evaluations depend on.
const (
	UsageStore = "usage store"
	Store      = "recommendation store"
)

// Dependencies returns the names of what evaluations depend on.
func Dependencies() []string {
	return []string{UsageStore, Store}
}

// unavailableError is the failure of something that the evaluation depends on.
type unavailableError struct {
	dependency string
	err        error
}

// Error implements error.
func (e unavailableError) Error() string { return fmt.Sprintf("%s: %v", e.dependency, e.err) }

// Unwrap returns what went wrong.
func (e unavailableError) Unwrap() error { return e.err }
