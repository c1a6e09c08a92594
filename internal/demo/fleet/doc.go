// Package fleet is the services of a demonstration as they are now: what each wants, what size it has, and which of them
// has been made to run out of memory.
package fleet
